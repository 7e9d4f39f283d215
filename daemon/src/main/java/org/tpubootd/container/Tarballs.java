package org.tpubootd.container;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Deadline;

/**
 * Images that lie on this host in archives, baked into the OS image or put there by a person. Which
 * images an archive holds is read out of it; a file of its name with {@code .ref} behind it tells
 * it instead, and has to for {@code .tar.zst}, which nothing in here can unpack. Not thread-safe.
 */
final class Tarballs {

  private static final Logger log = LoggerFactory.getLogger(Tarballs.class);

  /** Where archives lie that came with the OS image. */
  static final String BAKED = "/usr/share/tpu-bootd/images";

  /** What a person put there goes before what came with the OS image. */
  static final List<String> DIRECTORIES = List.of("/var/lib/tpu-bootd/images", BAKED);

  /** What the file with an archive's sum has behind the archive's name. */
  static final String SUM = ".sha256";

  private static final String REF = ".ref";
  private static final String ARCHIVES = "*.{tar,tar.gz,tgz,tar.zst}";

  /**
   * One archive as it was when it was looked into.
   *
   * @param changed of the archive and of the files beside it, where they are there
   */
  private record Version(Path file, long size, List<Optional<FileTime>> changed) {}

  /**
   * One archive.
   *
   * @param path as the host sees it
   */
  record Tarball(String path, Path file) {
    InputStream open() throws IOException {
      return Files.newInputStream(file);
    }
  }

  /** What the file with the sum says of an archive. */
  enum Sum {
    RIGHT,
    WRONG,
    NONE
  }

  /**
   * One archive, looked into.
   *
   * @param size in bytes
   * @param images the names of those that it holds
   * @param problem why it is not used; empty where nothing is wrong with it
   */
  record Examined(
      Tarball tarball, long size, List<String> images, Sum sum, Optional<String> problem) {

    boolean holds(ImageName image) {
      return images.stream().anyMatch(name -> isSame(name, image));
    }
  }

  private final HostRoot root;
  private final Duration limit;
  private final Map<Version, List<String>> contents = new HashMap<>();
  private final Map<Path, Version> offered = new HashMap<>();
  private final Map<Version, String> refused = new HashMap<>();
  private final List<String> unread = new ArrayList<>();

  /**
   * @param limit for reading through all archives: those that are packed have to be unpacked
   */
  Tarballs(HostRoot root, Duration limit) {
    this.root = root;
    this.limit = limit;
  }

  /** An archive that holds the image and was not refused. */
  Optional<Tarball> holding(ImageName image) throws InterruptedException {
    for (Path file : archives()) {
      Optional<Version> version = version(file);
      if (version.isPresent()
          && !refused.containsKey(version.get())
          && names(version.get()).stream().anyMatch(name -> isSame(name, image))) {
        offered.put(file, version.get());
        return Optional.of(new Tarball(root.onHost(file), file));
      }
    }
    return Optional.empty();
  }

  /** Everything in the folders, with its sum counted anew; what goes first comes first. */
  List<Examined> examineAll() throws InterruptedException {
    var all = new ArrayList<Examined>();
    for (Tarball tarball : all()) {
      all.add(examine(tarball));
    }
    return all;
  }

  /** Everything in the folders. */
  List<Tarball> all() {
    return archives().stream()
        .filter(Files::isRegularFile)
        .map(file -> new Tarball(root.onHost(file), file))
        .toList();
  }

  private Examined examine(Tarball tarball) throws InterruptedException {
    Optional<String> problem = broken(tarball);
    Sum sum =
        !Files.exists(beside(tarball.file(), SUM))
            ? Sum.NONE
            : problem.isEmpty() ? Sum.RIGHT : Sum.WRONG;
    long size = 0;
    List<String> images = List.of();
    try {
      size = Files.size(tarball.file());
      images = names(tarball);
    } catch (IOException e) {
      problem = problem.or(() -> Optional.of(String.valueOf(e.getMessage())));
    }
    return new Examined(tarball, size, images, sum, problem);
  }

  /** Folders that could not be read when they were last looked into, a sentence each. */
  List<String> unread() {
    return List.copyOf(unread);
  }

  /** Why archives that are still there are not used, a sentence each. */
  List<String> problems() {
    var there = archives().stream().flatMap(file -> version(file).stream()).toList();
    refused.keySet().retainAll(there);
    contents.keySet().retainAll(there);
    return Stream.concat(unread.stream(), refused.values().stream()).sorted().toList();
  }

  /**
   * Not tried again, as it was when {@link #holding} gave it out: one that was still being copied
   * then may be whole by now.
   */
  void refuse(Tarball tarball, String why) {
    Optional.ofNullable(offered.get(tarball.file())).ifPresent(version -> refuse(version, why));
  }

  /** What the engine had no room for may be tried again. */
  void tryAgainWhatHadNoRoom() {
    refused.values().removeIf(why -> why.contains(EngineErrors.DISK_FULL));
  }

  private void refuse(Version version, String why) {
    refused.put(version, root.onHost(version.file()) + " is not used: " + why);
  }

  /**
   * Compares the archive with the sum beside it, where there is one, in the form that {@code
   * sha256sum} writes.
   *
   * @return what is wrong; empty where nothing is
   */
  Optional<String> broken(Tarball tarball) throws InterruptedException {
    Path beside = beside(tarball.file(), SUM);
    try {
      String wanted = Files.readString(beside).strip().split("\\s", 2)[0].toLowerCase(Locale.ROOT);
      String is =
          Deadline.call("the SHA-256 of " + tarball.path(), limit, () -> sum(tarball.file()));
      return wanted.equals(is)
          ? Optional.empty()
          : Optional.of(
              "its SHA-256 is %s, and %s says %s".formatted(is, tarball.path() + SUM, wanted));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("it cannot be compared with its SHA-256: " + e.getMessage());
    }
  }

  private static String sum(Path file) throws IOException {
    try (var sum =
        new DigestOutputStream(OutputStream.nullOutputStream(), ContainerSpec.sha256())) {
      Files.copy(file, sum);
      return HexFormat.of().formatHex(sum.getMessageDigest().digest());
    }
  }

  private List<Path> archives() {
    unread.clear();
    var archives = new ArrayList<Path>();
    for (String directory : DIRECTORIES) {
      try (DirectoryStream<Path> files =
          Files.newDirectoryStream(root.follow(directory), ARCHIVES)) {
        var here = new ArrayList<Path>();
        for (Path file : files) {
          if (leadsOut(file)) {
            unread.add(root.onHost(file) + " is not used: it is a link out of " + root.directory());
          } else {
            here.add(file);
          }
        }
        here.sort(null);
        archives.addAll(here);
      } catch (NoSuchFileException e) {
        log.trace("no archives in {}", directory);
      } catch (DirectoryIteratorException | IOException e) {
        unread.add("archives in " + directory + " are not used: " + e.getMessage());
      }
    }
    return archives;
  }

  /** Under another root a link may lead to what is on this machine and not on that host. */
  private boolean leadsOut(Path file) throws IOException {
    return Files.isSymbolicLink(file)
        && Files.exists(file)
        && !file.toRealPath().startsWith(root.directory().toRealPath());
  }

  private static Optional<Version> version(Path file) {
    try {
      return Files.isRegularFile(file)
          ? Optional.of(
              new Version(
                  file,
                  Files.size(file),
                  List.of(changed(file), changed(beside(file, SUM)), changed(beside(file, REF)))))
          : Optional.empty();
    } catch (IOException e) {
      // It has just gone.
      return Optional.empty();
    }
  }

  private static Optional<FileTime> changed(Path file) throws IOException {
    return Files.exists(file) ? Optional.of(Files.getLastModifiedTime(file)) : Optional.empty();
  }

  private List<String> names(Version version) throws InterruptedException {
    List<String> known = contents.get(version);
    if (known != null) {
      return known;
    }
    try {
      List<String> names = names(new Tarball(root.onHost(version.file()), version.file()));
      contents.put(version, names);
      return names;
    } catch (IOException e) {
      refuse(version, String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  /** By the file beside it, or by its own list. */
  List<String> names(Tarball tarball) throws IOException, InterruptedException {
    Path reference = beside(tarball.file(), REF);
    if (Files.exists(reference)) {
      List<String> names =
          Files.readString(reference)
              .lines()
              .map(String::strip)
              .filter(name -> !name.isEmpty())
              .toList();
      if (names.isEmpty()) {
        throw new IOException(
            tarball.path() + REF + " names no image: write the image's name into it");
      }
      return names;
    }
    if (tarball.path().endsWith(".zst")) {
      throw new IOException(
          "which image it holds can only be told by a file beside it: write the image's name into "
              + tarball.path()
              + REF);
    }
    List<String> names =
        Deadline.call("reading " + tarball.path(), limit, () -> read(tarball.file()));
    if (names.isEmpty()) {
      throw new IOException(
          "no image in it has a name: make it anew by docker save IMAGE:TAG, and not by an image's"
              + " id");
    }
    return names;
  }

  private static List<String> read(Path file) throws IOException {
    try (InputStream plain = Files.newInputStream(file)) {
      boolean packed = file.toString().endsWith("gz");
      return TarImages.names(
          packed ? new GZIPInputStream(new BufferedInputStream(plain, 1 << 16)) : plain);
    }
  }

  static boolean isSame(String name, ImageName image) {
    ImageName inside = ImageName.parse(name);
    return inside.repository().equals(image.repository())
        && inside.version().equals(image.version());
  }

  private static Path beside(Path file, String ending) {
    return file.resolveSibling(file.getFileName() + ending);
  }
}
