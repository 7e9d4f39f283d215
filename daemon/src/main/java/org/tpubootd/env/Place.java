package org.tpubootd.env;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.HostRoot;

/**
 * Where a host path leads: the folder that holds the file, held open, and the file's name in there.
 * The path is walked one name at a time, as the kernel does it, but with a rule of our own: a
 * symbolic link is followed only in a folder that none but root and us can write to. Links are
 * resolved under the host's root, as they will be once the host runs.
 */
final class Place implements AutoCloseable {

  /** As many as the kernel follows before it says ELOOP. */
  private static final int MOST_LINKS = 40;

  private final HostRoot root;
  private final String hostPath;
  private final Deque<Folder> way = new ArrayDeque<>();
  private final Deque<Path> ahead = new ArrayDeque<>();
  private Path name = Path.of("");

  private Place(HostRoot root, String hostPath) {
    this.root = root;
    this.hostPath = hostPath;
  }

  /** Who owns directories that are made on the way, and whether any are. */
  private record Making(@Nullable Owner ownerOfLast) {}

  /** The place of a file; empty where a directory on the way is missing. */
  static Optional<Place> find(HostRoot root, String hostPath) throws IOException {
    return walk(root, hostPath, null);
  }

  /**
   * The same, making the directories that are missing, with mode 0755.
   *
   * @param home whom the last directory shall belong to, if it has to be made; null for us
   */
  static Place make(HostRoot root, String hostPath, @Nullable Owner home) throws IOException {
    return walk(root, hostPath, new Making(home))
        .orElseThrow(() -> new IOException(hostPath + " has no directory, even after making it"));
  }

  private static Optional<Place> walk(HostRoot root, String hostPath, @Nullable Making making)
      throws IOException {
    var place = new Place(root, hostPath);
    boolean found = false;
    try {
      found = place.walk(making);
      return found ? Optional.of(place) : Optional.empty();
    } finally {
      if (!found) {
        place.close();
      }
    }
  }

  private boolean walk(@Nullable Making making) throws IOException {
    way.push(Folder.root(root.directory()));
    Path.of(hostPath).forEach(ahead::add);
    int links = 0;
    while (true) {
      Path next = ahead.poll();
      if (next == null) {
        throw new RefusedException(hostPath + " leads to a directory");
      }
      if (goesNowhere(next)) {
        continue;
      }
      var there = folder().look(next);
      if (there.isPresent() && there.get().isSymbolicLink()) {
        if (++links > MOST_LINKS) {
          throw new RefusedException(hostPath + " leads through more than 40 symbolic links");
        }
        follow(next);
      } else if (ahead.isEmpty()) {
        name = next;
        return true;
      } else if (there.isPresent()) {
        enter(next, there.get());
      } else if (making == null) {
        return false;
      } else {
        boolean last = ahead.size() == 1;
        makeDirectory(next, last ? making.ownerOfLast() : null);
      }
    }
  }

  /** Deals with "." and ".."; the root's parent is the root. */
  private boolean goesNowhere(Path next) throws IOException {
    if (next.toString().equals("..")) {
      if (way.size() > 1) {
        way.pop().close();
      }
      return true;
    }
    return next.toString().isEmpty() || next.toString().equals(".");
  }

  private void follow(Path link) throws IOException {
    Folder folder = folder();
    if (!folder.trusted()) {
      throw new RefusedException(
          "%s is a symbolic link, which is not followed: %s; remove it"
              .formatted(onHost(link), whyNotTrusted()));
    }
    Path target = Files.readSymbolicLink(folder.path().resolve(link));
    if (target.isAbsolute()) {
      while (way.size() > 1) {
        way.pop().close();
      }
    }
    if (target.getNameCount() == 0) {
      throw new RefusedException(onHost(link) + " is a symbolic link to the root directory");
    }
    for (int i = target.getNameCount() - 1; i >= 0; i--) {
      ahead.push(target.getName(i));
    }
  }

  private void enter(Path next, PosixFileAttributes there) throws IOException {
    if (!there.isDirectory()) {
      throw new RefusedException(onHost(next) + " is not a directory");
    }
    if (!folder().trusted()) {
      throw new RefusedException("%s is not entered: %s".formatted(onHost(next), whyNotTrusted()));
    }
    way.push(folder().enter(next));
  }

  private void makeDirectory(Path next, @Nullable Owner owner) throws IOException {
    if (!folder().trusted()) {
      throw new RefusedException(
          "%s is missing and is not made: %s; make it by hand"
              .formatted(onHost(next), whyNotTrusted()));
    }
    var permissions = PosixFilePermissions.fromString("rwxr-xr-x");
    try {
      folder().makeDirectory(next, permissions);
    } catch (FileAlreadyExistsException _) {
      ahead.push(next); // somebody made it just now: look again
      return;
    }
    Folder made = folder().enter(next);
    way.push(made);
    // The process's umask may have taken some bits away.
    made.changePermissions(permissions);
    if (owner != null && Owner.thisProcessIsRoot()) {
      made.changeOwner(owner);
    }
  }

  private String whyNotTrusted() throws IOException {
    return "others than root can write to %s (owner %d, mode %s) or to a directory above it"
        .formatted(
            root.onHost(folder().path()),
            folder().owner().uid(),
            Wanted.octal(folder().attributes().permissions()));
  }

  private String onHost(Path inFolder) {
    return root.onHost(folder().path().resolve(inFolder));
  }

  Folder folder() {
    return way.element();
  }

  /** The file's name in its folder. */
  Path name() {
    return name;
  }

  /** What lies at this place; empty where nothing does. */
  Optional<PosixFileAttributes> look() throws IOException {
    var there = folder().look(name);
    if (there.isPresent() && !there.get().isRegularFile()) {
      throw new RefusedException(
          "%s is %s, not a file; remove it"
              .formatted(
                  onHost(name),
                  there.get().isDirectory()
                      ? "a directory"
                      : there.get().isSymbolicLink() ? "a symbolic link" : "a pipe or a device"));
    }
    return there;
  }

  @Override
  public void close() throws IOException {
    for (Folder folder : way) {
      folder.close();
    }
  }
}
