package org.tpubootd.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Device;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.LogConfig.LoggingType;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.RestartPolicy;
import com.github.dockerjava.api.model.Ulimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Puts a spec into the engine's words. */
final class CreateCall {

  private CreateCall() {}

  static CreateContainerCmd of(DockerClient client, ContainerSpec spec, String name) {
    var call =
        client
            .createContainerCmd(spec.image().text())
            .withName(name)
            .withLabels(spec.labels())
            .withEnv(
                spec.environment().entrySet().stream()
                    .map(variable -> variable.getKey() + "=" + variable.getValue())
                    .sorted()
                    .toList())
            .withHostConfig(hostConfig(spec));
    if (!spec.grants().user().isEmpty()) {
      call.withUser(spec.grants().user());
    }
    return spec.command().isEmpty() ? call : call.withCmd(spec.command());
  }

  private static HostConfig hostConfig(ContainerSpec spec) {
    Grants grants = spec.grants();
    var config =
        HostConfig.newHostConfig()
            .withPrivileged(spec.privileged())
            .withNetworkMode(spec.network())
            .withRestartPolicy(RestartPolicy.noRestart())
            // An agent that logs in a loop must not fill the boot disk.
            .withLogConfig(
                new LogConfig(
                    LoggingType.JSON_FILE,
                    Map.of(
                        "max-size", String.valueOf(spec.logMaxSize()),
                        "max-file", String.valueOf(spec.logFiles()))))
            .withMounts(mounts(spec));
    if (spec.memory() != null) {
      config.withMemory(spec.memory());
    }
    if (!grants.groups().isEmpty()) {
      config.withGroupAdd(grants.groups());
    }
    if (!grants.devices().isEmpty()) {
      config.withDevices(
          grants.devices().stream()
              .map(device -> new Device(device.access(), device.target(), device.source()))
              .toList());
    }
    if (grants.nanoCpus() != 0) {
      config.withNanoCPUs(grants.nanoCpus());
    }
    if (!grants.ulimits().isEmpty()) {
      config.withUlimits(
          grants.ulimits().stream()
              .map(limit -> new Ulimit(limit.name(), limit.soft(), limit.hard()))
              .toList());
    }
    if (grants.hostPids()) {
      config.withPidMode("host");
    }
    return config;
  }

  /** Mounts, not binds: for a bind the engine makes a directory of a source that is not there. */
  private static List<Mount> mounts(ContainerSpec spec) {
    var mounts = new ArrayList<Mount>();
    spec.configFile().ifPresent(file -> mounts.add(mount(file.source(), file.target(), true)));
    spec.grants()
        .volumes()
        .forEach(one -> mounts.add(mount(one.source(), one.target(), one.readOnly())));
    return mounts;
  }

  private static Mount mount(String source, String target, boolean readOnly) {
    return new Mount()
        .withType(MountType.BIND)
        .withSource(source)
        .withTarget(target)
        .withReadOnly(readOnly);
  }
}
