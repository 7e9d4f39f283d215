package org.tpubootd.image;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.tpubootd.config.ContainersConfig.ContainerConfig;

/** Whether there is an engine that will run the containers. */
final class EngineInstalled implements Check {

  private static final List<String> PROGRAMS =
      List.of(
          "/usr/bin/dockerd", "/usr/sbin/dockerd", "/usr/local/bin/dockerd", "/snap/bin/docker");
  private static final List<String> SOCKETS =
      List.of("unix:///var/run/docker.sock", "unix:///run/docker.sock");
  private static final String SERVICE = "docker.service";
  private static final String SOCKET = "docker.socket";

  private final Tree tree;
  private final String address;
  private final List<ContainerConfig> ours;
  private final Units units;

  /**
   * @param address of the engine, as containers.engine has it
   * @param ours the containers that tpu-bootd would run
   */
  EngineInstalled(Tree tree, String address, List<ContainerConfig> ours) {
    this.tree = tree;
    this.address = address;
    this.ours = ours;
    this.units = new Units(tree);
  }

  @Override
  public String name() {
    return "engine";
  }

  @Override
  public List<Result> look() throws IOException {
    if (ours.isEmpty()) {
      return List.of(Result.notApplicable(name(), "tpu-bootd would run no container here"));
    }
    if (!SOCKETS.contains(address)) {
      return List.of(
          Result.notApplicable(
              name(), "containers.engine is %s: not looked at".formatted(address)));
    }
    boolean required = ours.stream().anyMatch(ContainerConfig::required);
    Optional<String> program = program();
    if (program.isEmpty()) {
      return List.of(
          Result.missing(
              required,
              name(),
              "no Docker Engine is in this tree: no container runs",
              "apt install docker.io, or docker-ce; or set containers.vbar.enabled and"
                  + " containers.telemetry.enabled to false"));
    }
    if (program.get().startsWith("/snap/")) {
      return List.of(Result.ok(name(), "Docker's snap"));
    }
    return List.of(service(program.get(), required));
  }

  private Result service(String program, boolean required) throws IOException {
    if (units.isMasked(SERVICE)) {
      return Result.missing(
          required, name(), SERVICE + " is masked", "systemctl unmask " + SERVICE);
    }
    Optional<String> puller = units.enabledBy(SERVICE);
    if (puller.isEmpty() && !units.isMasked(SOCKET)) {
      puller = units.enabledBy(SOCKET);
    }
    return puller.isPresent()
        ? Result.ok(name(), "%s, enabled by %s".formatted(program, puller.get()))
        : Result.missing(
            required,
            name(),
            "%s is there, and neither %s nor %s is enabled".formatted(program, SERVICE, SOCKET),
            "systemctl enable " + SERVICE);
  }

  private Optional<String> program() throws IOException {
    for (String program : PROGRAMS) {
      if (tree.exists(program)) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }
}
