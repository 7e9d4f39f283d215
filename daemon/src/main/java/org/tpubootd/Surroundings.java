package org.tpubootd;

import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Time;

/**
 * What the machine gives the program: handed in, so that tests own it.
 *
 * @param random must be thread-safe, as java.util.Random is and most newer generators are not: all
 *     loops draw their jitter from it
 */
public record Surroundings(
    HostRoot root, Map<String, String> environment, Time time, RandomGenerator random) {

  /** The machine itself, with its files under the given root. */
  public static Surroundings machine(HostRoot root) {
    return new Surroundings(root, System.getenv(), Time.system(), new Random());
  }

  /** A variable of the environment; one that is empty counts as not set. */
  public Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }
}
