package org.tpubootd.env;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Deadline;

/**
 * A file on the host, and the only way in which files are written: whole or not at all, lasting
 * over a power cut, not touched when it is already right, and never led astray by what the owner of
 * its directory puts there. Thread-safe; one call at a time, the next is refused meanwhile.
 */
public final class SafeFile {

  /**
   * A disk that takes longer is not working; a pipe or a lease in place of a file ends here too.
   */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final HostRoot root;
  private final String path;
  private final @Nullable Owner home;
  private final Duration limit;

  /** What is done with the file now; empty text for nothing. */
  private final AtomicReference<String> underWay;

  private SafeFile(
      HostRoot root,
      String path,
      @Nullable Owner home,
      Duration limit,
      AtomicReference<String> underWay) {
    this.root = root;
    this.path = path;
    this.home = home;
    this.limit = limit;
    this.underWay = underWay;
  }

  /**
   * @param path as the host sees it, such as {@code /etc/environment}
   */
  public SafeFile(HostRoot root, String path) {
    this(root, path, LIMIT);
  }

  SafeFile(HostRoot root, String path, Duration limit) {
    this(root, path, null, limit, new AtomicReference<>(""));
  }

  /** The same file, in a directory that belongs to this owner if it has to be made. */
  public SafeFile inHomeOf(Owner owner) {
    return new SafeFile(root, path, owner, limit, underWay);
  }

  /** The path as the host sees it. */
  public String path() {
    return path;
  }

  /**
   * Compares only. Of the owner nothing is asked where this process is not root, since it could not
   * change it.
   *
   * @return why the file has to be written, as a clause: "it is missing", "its mode is 0600"
   */
  public Optional<String> difference(Wanted wanted) throws IOException, InterruptedException {
    return within(
        "reading",
        () -> {
          try (Place place = Place.find(root, path).orElse(null)) {
            if (place == null) {
              return Optional.of("it is missing");
            }
            var difference = difference(place, wanted);
            if (difference.isEmpty() && !Scratch.leftOvers(place).isEmpty()) {
              return Optional.of("an interrupted write has left something beside it");
            }
            return difference;
          }
        });
  }

  /**
   * Makes the file what it should be, and removes what interrupted writes left beside it. A file
   * that is already right is not touched.
   *
   * @return whether it had to be written
   */
  public boolean write(Wanted wanted) throws IOException, InterruptedException {
    return within(
        "writing",
        () -> {
          try (Place place = Place.make(root, path, home)) {
            Scratch.sweep(place);
            if (difference(place, wanted).isEmpty()) {
              return false;
            }
            refuseIfChanged(place, wanted);
            try (var scratch = Scratch.beside(place)) {
              scratch.replace(wanted);
            }
            return true;
          }
        });
  }

  /**
   * What is in the file; empty where it is missing.
   *
   * @param atMost bytes; a longer file is an error
   */
  public Optional<byte[]> read(int atMost) throws IOException, InterruptedException {
    return within(
        "reading",
        () -> {
          try (Place place = Place.find(root, path).orElse(null)) {
            if (place == null || place.look().isEmpty()) {
              return Optional.empty();
            }
            byte[] bytes = place.folder().read(place.name(), atMost + 1);
            if (bytes.length > atMost) {
              throw new RefusedException(path + " is longer than " + atMost + " bytes");
            }
            return Optional.of(bytes);
          }
        });
  }

  private static void refuseIfChanged(Place place, Wanted wanted) throws IOException {
    if (wanted.basis().isEmpty()) {
      return;
    }
    byte[] basis = wanted.basis().get();
    byte[] now =
        place.look().isPresent()
            ? place.folder().read(place.name(), basis.length + 1)
            : new byte[0];
    if (!Arrays.equals(basis, now)) {
      throw new RefusedException(
          place.name() + " was changed by somebody while it was looked at; it is looked at again");
    }
  }

  /** Whether there is such a file. */
  boolean exists() throws IOException, InterruptedException {
    return within(
        "reading",
        () -> {
          try (Place place = Place.find(root, path).orElse(null)) {
            return place != null && place.look().isPresent();
          }
        });
  }

  private static Optional<String> difference(Place place, Wanted wanted) throws IOException {
    var there = place.look();
    if (there.isEmpty()) {
      return Optional.of("it is missing");
    }
    var attributes = there.get();
    if (attributes.size() != wanted.size()
        || !Arrays.equals(place.folder().read(place.name(), wanted.size() + 1), wanted.bytes())) {
      return Optional.of("its content differs");
    }
    if (wanted.keepsAccess()) {
      return Optional.empty();
    }
    if (!attributes.permissions().equals(wanted.permissions())) {
      return Optional.of("its mode is " + Wanted.octal(attributes.permissions()));
    }
    if (wanted.owner().isPresent() && Owner.thisProcessIsRoot()) {
      var owner = place.folder().owner(place.name(), attributes);
      if (!owner.equals(wanted.owner().get())) {
        return Optional.of("it belongs to " + owner);
      }
    }
    return Optional.empty();
  }

  /**
   * On a thread of its own and under a limit, since a file that somebody swaps for a pipe between
   * the look and the open would hold the open up for ever. One that hangs is not joined by another
   * at each pass, with a thread each: they are refused until it is back.
   */
  <T> T within(String verb, Callable<T> call) throws IOException, InterruptedException {
    String what = verb + " " + path;
    if (!underWay.compareAndSet("", what)) {
      throw new RefusedException(
          what + " was not tried, since " + underWay.get() + " has not come back");
    }
    var begun = new AtomicBoolean();
    try {
      return Deadline.callKernel(
          what,
          limit,
          () -> {
            if (!begun.compareAndSet(false, true)) {
              throw new IOException("given up before it began");
            }
            try {
              return call.call();
            } finally {
              underWay.set("");
            }
          });
    } catch (RefusedException | Deadline.Passed e) {
      throw e;
    } catch (IOException e) {
      throw new IOException(what + " failed: " + reason(e), e);
    } finally {
      if (begun.compareAndSet(false, true)) {
        underWay.set(""); // an interrupt, or a machine too busy to start the thread in time
      }
    }
  }

  private static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException denied -> "permission denied on " + denied.getFile();
      case NoSuchFileException gone -> gone.getFile() + " is not there any more";
      case FileSystemException other when other.getReason() != null ->
          other.getReason() + " (" + other.getFile() + ")";
      default -> String.valueOf(e.getMessage());
    };
  }
}
