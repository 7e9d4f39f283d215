package org.tpubootd.container;

import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Time;

/**
 * What all supervised containers are given.
 *
 * @param login asked for each pull from a registry of Google's
 * @param states keeps what is remembered over a restart of tpu-bootd
 * @param reloads how often a person has told tpu-bootd to look at everything anew
 * @param root for files that are mounted into containers and for images that lie in files
 */
public record Workplace(
    ContainersConfig limits,
    Engine engine,
    RegistryLogin login,
    StateStore states,
    IntSupplier reloads,
    HostRoot root,
    Time time,
    RandomGenerator random) {}
