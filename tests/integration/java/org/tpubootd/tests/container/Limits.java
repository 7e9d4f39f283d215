package org.tpubootd.tests.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.ConfigLoader;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.HostRoot;

/** What a file of the configuration says under {@code containers:}. */
final class Limits {

  private Limits() {}

  /**
   * @param directory an empty one, which stands for the host's root
   * @param keys a line each, such as {@code pull-stall: 20s}
   */
  static ContainersConfig of(Path directory, String... keys) throws IOException, ConfigException {
    Path dropIns = Files.createDirectories(directory.resolve("etc/tpu-bootd/config.d"));
    Files.writeString(
        dropIns.resolve("50-limits.yaml"), "containers:\n  " + String.join("\n  ", keys) + "\n");
    return new ConfigLoader(new HostRoot(directory)).load().config().containers();
  }
}
