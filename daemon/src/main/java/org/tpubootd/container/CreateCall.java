package org.tpubootd.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.LogConfig.LoggingType;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.RestartPolicy;
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
    return spec.command().isEmpty() ? call : call.withCmd(spec.command());
  }

  private static HostConfig hostConfig(ContainerSpec spec) {
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
                        "max-file", String.valueOf(spec.logFiles()))));
    if (spec.memory() != null) {
      config.withMemory(spec.memory());
    }
    // A mount, not a bind: for a bind the engine makes a directory of a source that is not there.
    spec.configFile()
        .ifPresent(file ->
            config.withMounts(
                List.of(
                    new Mount()
                        .withType(MountType.BIND)
                        .withSource(file.source())
                        .withTarget(file.target())
                        .withReadOnly(true))));
    return config;
  }
}
