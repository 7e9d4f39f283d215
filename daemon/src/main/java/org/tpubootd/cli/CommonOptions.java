package org.tpubootd.cli;

import java.nio.file.Path;
import org.tpubootd.Surroundings;
import org.tpubootd.config.HostRoot;
import picocli.CommandLine.Option;

/** What every command takes. */
final class CommonOptions {

  @Option(
      names = "--root",
      paramLabel = "DIR",
      description = "Put every host path under DIR (default: /).")
  private Path root = Path.of("/");

  HostRoot root() {
    return new HostRoot(root.toAbsolutePath().normalize());
  }

  Surroundings surroundings() {
    return Surroundings.machine(root());
  }
}
