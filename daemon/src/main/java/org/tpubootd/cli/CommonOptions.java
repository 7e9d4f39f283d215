package org.tpubootd.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tpubootd.Surroundings;
import org.tpubootd.config.Config;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.ConfigLoader;
import org.tpubootd.config.HostRoot;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command takes. */
final class CommonOptions {

  @Option(
      names = "--root",
      paramLabel = "DIR",
      description = "Put every host path under DIR (default: /).")
  private String root = "/";

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  private HostRoot root() {
    // A script's --root "$UNSET" must not end up in the current directory.
    if (root.isBlank() || !Files.isDirectory(Path.of(root))) {
      throw new ParameterException(
          spec().commandLine(), "--root: '" + root + "' is not a directory");
    }
    return new HostRoot(Path.of(root).toAbsolutePath().normalize());
  }

  Surroundings surroundings() {
    return Surroundings.machine(root());
  }

  ConfigLoader configLoader() {
    return new ConfigLoader(root(), System.getenv());
  }

  /**
   * The configuration for a command that has to work with a broken one, too: what is wrong is told,
   * and the defaults are taken.
   */
  Config configOrDefaults() throws ConfigException {
    try {
      return configLoader().load().config();
    } catch (ConfigException e) {
      spec()
          .commandLine()
          .getErr()
          .println("tpu-bootd: " + e.getMessage() + "; going on with the defaults");
      return configLoader().withoutFiles();
    }
  }

  private CommandSpec spec() {
    return Objects.requireNonNull(command, "picocli sets the command before it is called");
  }
}
