package org.tpubootd.testbed;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.stream.Stream;

/** Makes files, links and nodes under the root of a tree that stands for a host. */
final class SysfsFiles {

  private final Path root;

  SysfsFiles(Path root) {
    this.root = root;
  }

  Path path(String onHost) {
    return root.resolve(onHost.substring(1));
  }

  void write(String onHost, String text) throws IOException {
    Path file = path(onHost);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  void directory(String onHost) throws IOException {
    Files.createDirectories(path(onHost));
  }

  /** A relative link, as sysfs has them; in its place at once, as a reader may be looking. */
  void link(String onHost, String target) throws IOException {
    Path link = path(onHost);
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, link.getParent().relativize(path(target)));
  }

  void delete(String onHost) throws IOException {
    Files.deleteIfExists(path(onHost));
  }

  /** Follows no links: what they point to is somebody else's. */
  void deleteAll(String onHost) throws IOException {
    Path top = path(onHost);
    if (!Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(top)) {
      for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /**
   * A FIFO stands for a device node: to Java both are neither file nor directory nor link, and any
   * user may make one.
   */
  void fifo(String onHost, String mode) throws IOException {
    Path path = path(onHost);
    Files.createDirectories(path.getParent());
    Process process = new ProcessBuilder("mkfifo", "-m", mode, path.toString()).inheritIO().start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException("mkfifo %s failed".formatted(path));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while making " + path, e);
    }
  }

  boolean isFifo(String onHost) throws IOException {
    Path path = path(onHost);
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        && Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
            .isOther();
  }

  /** Lets everybody go on who waits in opening the FIFO, and removes it. */
  void releaseFifo(String onHost) throws IOException {
    // Opened for both, a FIFO blocks nobody, and those who wait for the other end have it.
    try (var _ = new RandomAccessFile(path(onHost).toFile(), "rw")) {
      delete(onHost);
    }
  }
}
