package org.tpubootd.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A private directory beside a file, in which its next content is made ready: only we can look or
 * reach into it, so nobody can swap the new file between its creation and the change of its owner.
 * RATIONALE.md tells what could happen otherwise.
 */
final class Scratch implements AutoCloseable {

  private static final String PREFIX = ".tpu-bootd.";
  private static final Path CONTENT = Path.of("content");
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  /**
   * More than one is in the way only where somebody puts them there. Left-overs are looked for by
   * these names and never by listing: the directory's owner can fill it without end.
   */
  private static final int MOST_NAMES = 16;

  private final Place place;
  private final Path name;
  private final Folder inside;

  private Scratch(Place place, Path name, Folder inside) {
    this.place = place;
    this.name = name;
    this.inside = inside;
  }

  static Scratch beside(Place place) throws IOException {
    for (int i = 0; i < MOST_NAMES; i++) {
      Path name = Path.of(prefix(place) + i);
      try {
        place.folder().makeDirectory(name, PRIVATE);
      } catch (FileAlreadyExistsException _) {
        continue;
      }
      Folder inside = place.folder().enter(name);
      if (!isPrivate(inside)) {
        inside.close();
        throw new RefusedException(
            "%s was swapped for another directory just after it was made"
                .formatted(place.folder().path().resolve(name)));
      }
      return new Scratch(place, name, inside);
    }
    throw new RefusedException(
        "%s holds %d entries called %s0 and so on, which are not ours; remove them"
            .formatted(place.folder().path(), MOST_NAMES, prefix(place)));
  }

  private static String prefix(Place place) {
    return PREFIX + place.name() + ".";
  }

  private static boolean isPrivate(Folder folder) throws IOException {
    return folder.owner().uid() == Owner.uidOfThisProcess()
        && folder.attributes().permissions().equals(PRIVATE);
  }

  /** Writes the new file, whole and lasting, and puts it where the old one is. */
  void replace(Wanted wanted) throws IOException {
    // Before anything is created: what is in the place now may be what the mode is taken from.
    var old = place.look();
    Optional<Owner> oldOwner = Optional.empty();
    if (wanted.keepsAccess() && old.isPresent()) {
      oldOwner = Optional.of(place.folder().owner(place.name(), old.get()));
    }
    try (var channel = inside.create(CONTENT)) {
      var bytes = ByteBuffer.wrap(wanted.bytes());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      giveAccess(
          inside.view(CONTENT),
          old.filter(_ -> wanted.keepsAccess())
              .map(PosixFileAttributes::permissions)
              .orElse(wanted.permissions()),
          oldOwner.or(wanted::owner));
      channel.force(true);
    }
    inside.move(CONTENT, place.folder(), place.name());
    place.folder().sync();
  }

  /** The owner last: until then the file is ours, whatever capabilities root is left with. */
  private static void giveAccess(
      PosixFileAttributeView view, Set<PosixFilePermission> permissions, Optional<Owner> owner)
      throws IOException {
    view.setPermissions(permissions);
    if (owner.isPresent() && Owner.thisProcessIsRoot()) {
      view.setGroup(owner.get().group());
      view.setOwner(owner.get().user());
    }
  }

  /** Takes the private directory away, with what a failed write left in it. */
  @Override
  public void close() throws IOException {
    try (inside) {
      empty(inside);
    }
    deleteIfThere(place.folder(), name);
  }

  /**
   * What writes of this file that were cut short (a kill, a power cut) left beside it. Only what is
   * surely ours: a directory that none but us can reach into, with nothing in it but the one file.
   */
  static List<Path> leftOvers(Place place) throws IOException {
    var leftOvers = new ArrayList<Path>();
    for (int i = 0; i < MOST_NAMES; i++) {
      Path name = Path.of(prefix(place) + i);
      if (isOurs(place, name)) {
        leftOvers.add(name);
      }
    }
    return leftOvers;
  }

  private static boolean isOurs(Place place, Path name) throws IOException {
    var there = place.folder().look(name);
    if (there.isEmpty() || !there.get().isDirectory()) {
      return false;
    }
    try (Folder folder = place.folder().enter(name)) {
      return isPrivate(folder) && folder.hasNothingBut(CONTENT);
    }
  }

  /** Removes the left-overs. */
  static void sweep(Place place) throws IOException {
    for (Path name : leftOvers(place)) {
      try (Folder folder = place.folder().enter(name)) {
        empty(folder);
      }
      deleteIfThere(place.folder(), name);
    }
  }

  private static void empty(Folder folder) throws IOException {
    if (folder.look(CONTENT).isPresent()) {
      folder.deleteFile(CONTENT);
    }
  }

  private static void deleteIfThere(Folder folder, Path name) throws IOException {
    try {
      folder.deleteDirectory(name);
    } catch (NoSuchFileException _) {
      // The owner of the folder has moved it away: it is empty, and no longer to be found.
    }
  }
}
