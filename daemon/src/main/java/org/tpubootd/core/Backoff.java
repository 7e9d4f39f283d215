package org.tpubootd.core;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Waits between tries: the bound doubles from {@code first} to {@code longest}, and each wait is
 * drawn evenly between nothing and the bound ("full jitter"), so that 2,304 hosts of a slice that
 * lost the same server do not come back at the same moment. Not thread-safe.
 */
public final class Backoff {

  private final Duration first;
  private final Duration longest;
  private final RandomGenerator random;
  private Duration bound;

  public Backoff(Duration first, Duration longest, RandomGenerator random) {
    this.first = first.compareTo(longest) < 0 ? first : longest;
    this.longest = longest;
    this.random = random;
    this.bound = this.first;
  }

  /** The next wait; never longer than the longest. */
  public Duration next() {
    Duration wait = Duration.ofNanos(random.nextLong(bound.toNanos() + 1));
    Duration doubled = bound.multipliedBy(2);
    bound = doubled.compareTo(longest) < 0 ? doubled : longest;
    return wait;
  }

  /** After a success: the next failure begins with the first bound again. */
  public void reset() {
    bound = first;
  }
}
