package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainerRights;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.ReadyConfig;

/** Configurations for tests. */
final class Configs {

  static final ContainerConfig VBAR = vbar(List.of(), Map.of(), null, null);

  private Configs() {}

  static ContainerConfig vbar(
      List<String> command,
      Map<String, String> environment,
      @Nullable String configFile,
      @Nullable String configMount) {
    return vbar(command, environment, configFile, configMount, ContainerRights.NONE);
  }

  static ContainerConfig vbar(ContainerRights rights) {
    return vbar(List.of(), Map.of(), null, null, rights);
  }

  private static ContainerConfig vbar(
      List<String> command,
      Map<String, String> environment,
      @Nullable String configFile,
      @Nullable String configMount,
      ContainerRights rights) {
    return new ContainerConfig(
        "vbar",
        true,
        true,
        "gcr.io/p/vbar:1",
        false,
        ContainersConfig.Pull.MISSING,
        command,
        "2000",
        "",
        environment,
        true,
        "host",
        null,
        10 << 20,
        3,
        configFile,
        configMount,
        rights,
        ReadyConfig.RUNNING);
  }

  static ContainersConfig containers() {
    return new ContainersConfig(
        "unix:///nowhere",
        Duration.ofSeconds(10),
        Duration.ofMinutes(15),
        Duration.ofSeconds(60),
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        Duration.ofMinutes(5),
        Duration.ofMinutes(5),
        VBAR,
        VBAR,
        List.of());
  }

  static Observed container(String id, Observed.Status status, String spec, String startedAt) {
    return container(id, status, spec, startedAt, "2026-11-30T08:00:10Z");
  }

  static Observed container(
      String id, Observed.Status status, String spec, String startedAt, String finishedAt) {
    return new Observed(
        id,
        "tpu-bootd-vbar",
        Map.of(ContainerSpec.PART_LABEL, "vbar", ContainerSpec.SPEC_LABEL, spec),
        status,
        "image-1",
        startedAt,
        finishedAt,
        1,
        false,
        "");
  }
}
