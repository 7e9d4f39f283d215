package org.tpubootd.config;

import java.nio.file.Path;

/**
 * The directory that stands for the host's root. Every host path goes through it, so that a test,
 * the sandbox and an image build in a chroot run the same code.
 */
public record HostRoot(Path directory) {

  /** The machine itself. */
  public static final HostRoot MACHINE = new HostRoot(Path.of("/"));

  /**
   * @param absolute a path as the host sees it, such as {@code /etc/environment}
   */
  public Path resolve(String absolute) {
    if (!absolute.startsWith("/")) {
      throw new IllegalArgumentException("not an absolute host path: " + absolute);
    }
    return directory.resolve(absolute.substring(1));
  }

  /** The path as the host sees it, for messages and for the engine, which knows no other root. */
  public String onHost(Path path) {
    return "/" + directory.relativize(path);
  }
}
