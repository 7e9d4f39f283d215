package org.tpubootd.config;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;

/**
 * The directory that stands for the host's root. Every host path goes through it, so that a test,
 * the sandbox and an image build in a chroot run the same code.
 */
public record HostRoot(Path directory) {

  /** The machine itself. */
  public static final HostRoot MACHINE = new HostRoot(Path.of("/"));

  /** As many as the kernel follows before it says ELOOP. */
  private static final int MOST_LINKS = 40;

  /**
   * @param absolute a path as the host sees it, such as {@code /etc/environment}
   */
  public Path resolve(String absolute) {
    if (!absolute.startsWith("/")) {
      throw new IllegalArgumentException("not an absolute host path: " + absolute);
    }
    return directory.resolve(absolute.substring(1));
  }

  /**
   * The same with every symbolic link on the way followed below this root, as it will be once the
   * host runs. A link such as {@code /lib -> /usr/lib} in the tree of an image would otherwise lead
   * to the files of the machine that builds it. The file need not be there.
   *
   * @throws FileSystemLoopException where there are more links than the kernel follows
   */
  public Path follow(String absolute) throws IOException {
    Path plain = resolve(absolute);
    if (equals(MACHINE)) {
      return plain;
    }
    var ahead = new ArrayDeque<Path>();
    Path.of(absolute).forEach(ahead::add);
    Path at = directory;
    for (int links = 0; !ahead.isEmpty(); ) {
      Path name = ahead.pop();
      if (name.toString().equals("..")) {
        // The root's parent is the root.
        at = at.equals(directory) ? at : at.resolveSibling("").normalize();
        continue;
      }
      Path next = at.resolve(name).normalize();
      if (!Files.isSymbolicLink(next)) {
        at = next;
        continue;
      }
      if (++links > MOST_LINKS) {
        throw new FileSystemLoopException(absolute);
      }
      Path target = Files.readSymbolicLink(next);
      at = target.isAbsolute() ? directory : at;
      for (int i = target.getNameCount() - 1; i >= 0; i--) {
        ahead.push(target.getName(i));
      }
    }
    return at;
  }

  /** The path as the host sees it, for messages and for the engine, which knows no other root. */
  public String onHost(Path path) {
    return "/" + directory.relativize(path);
  }
}
