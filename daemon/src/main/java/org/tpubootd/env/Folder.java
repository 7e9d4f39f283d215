package org.tpubootd.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A directory held open: what is done in it is done in this very directory, whatever its path leads
 * to by now. No operation here follows a symbolic link.
 */
final class Folder implements AutoCloseable {

  private final SecureDirectoryStream<Path> stream;
  private final Path path;
  private final boolean trusted;

  private Folder(SecureDirectoryStream<Path> stream, Path path, boolean trusted) {
    this.stream = stream;
    this.path = path;
    this.trusted = trusted;
  }

  /** Opens the directory that all host paths begin at. */
  @SuppressWarnings("StreamResourceLeak") // the folder closes it
  static Folder root(Path path) throws IOException {
    return open(Files.newDirectoryStream(path), path, true);
  }

  private static Folder open(DirectoryStream<Path> stream, Path path, boolean aboveTrusted)
      throws IOException {
    if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
      stream.close();
      throw new IOException(path + " is on a file system without openat(2)");
    }
    try {
      var folder = new Folder(secure, path, false);
      return new Folder(secure, path, aboveTrusted && folder.onlyRootAndWeWriteHere());
    } catch (IOException e) {
      secure.close();
      throw e;
    }
  }

  /**
   * Sticky directories such as /tmp are no exception: anybody can put a symbolic link there. A
   * group that may write is one more stranger to root; to anybody else it is that user's own group,
   * as distributions with a umask of 002 have it.
   */
  private boolean onlyRootAndWeWriteHere() throws IOException {
    var permissions = attributes().permissions();
    boolean groupMayWrite =
        permissions.contains(PosixFilePermission.GROUP_WRITE) && Owner.thisProcessIsRoot();
    int owner = owner().uid();
    boolean ours = owner == Owner.ROOT.uid() || owner == Owner.uidOfThisProcess();
    return ours && !groupMayWrite && !permissions.contains(PosixFilePermission.OTHERS_WRITE);
  }

  /** Where it was when it was opened; still there, if all above it can be trusted. */
  Path path() {
    return path;
  }

  /** Whether nobody but root and us can change what lies in here, and in all folders above. */
  boolean trusted() {
    return trusted;
  }

  PosixFileAttributes attributes() throws IOException {
    return Objects.requireNonNull(stream.getFileAttributeView(PosixFileAttributeView.class))
        .readAttributes();
  }

  /** Whom this directory belongs to. */
  Owner owner() throws IOException {
    return owner(path, attributes());
  }

  /**
   * Whom a file in here belongs to.
   *
   * @param attributes what {@link #look} said of it
   */
  Owner owner(Path name, PosixFileAttributes attributes) throws IOException {
    return owner(path.resolve(name), attributes, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * The numbers are to be had by path only: in an open directory the JDK gives names, which it asks
   * the name service for. So it is made sure that the path leads to the very file.
   */
  private static Owner owner(Path path, PosixFileAttributes attributes, LinkOption... options)
      throws IOException {
    var found = Files.readAttributes(path, "unix:uid,gid,fileKey", options);
    if (!Objects.equals(found.get("fileKey"), attributes.fileKey())) {
      throw new RefusedException(path + " was swapped for another while it was looked at");
    }
    return new Owner(
        (Integer) Objects.requireNonNull(found.get("uid")),
        (Integer) Objects.requireNonNull(found.get("gid")));
  }

  void changeOwner(Owner owner) throws IOException {
    var view = Objects.requireNonNull(stream.getFileAttributeView(PosixFileAttributeView.class));
    view.setOwner(owner.user());
    view.setGroup(owner.group());
  }

  void changePermissions(Set<PosixFilePermission> permissions) throws IOException {
    Objects.requireNonNull(stream.getFileAttributeView(PosixFileAttributeView.class))
        .setPermissions(permissions);
  }

  /** What lies here by this name; a link is described itself. Empty where nothing does. */
  Optional<PosixFileAttributes> look(Path name) throws IOException {
    try {
      return Optional.of(view(name).readAttributes());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  PosixFileAttributeView view(Path name) {
    return Objects.requireNonNull(
        stream.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
  }

  /** Opens a directory that lies here. */
  Folder enter(Path name) throws IOException {
    return open(
        stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS), path.resolve(name), trusted);
  }

  /**
   * Makes a directory, by path since there is no mkdirat(2) to be had. The path leads here as long
   * as the folder above is trusted, and mkdir(2) itself follows no link.
   */
  void makeDirectory(Path name, Set<PosixFilePermission> permissions) throws IOException {
    Files.createDirectory(path.resolve(name), PosixFilePermissions.asFileAttribute(permissions));
  }

  /** The file's first bytes, at most so many. */
  byte[] read(Path name, int atMost) throws IOException {
    try (var channel =
        stream.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      var buffer = ByteBuffer.allocate(atMost);
      while (buffer.hasRemaining() && channel.read(buffer) >= 0) {}
      byte[] bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
      return bytes;
    }
  }

  /** Creates a file that only we can read; it must not be there. */
  FileChannel create(Path name) throws IOException {
    return asFile(
        stream.newByteChannel(
            name,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(
                Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE))));
  }

  /** Moves a file into another folder, over what may be there by that name. */
  void move(Path name, Folder to, Path newName) throws IOException {
    stream.move(name, to.stream, newName);
  }

  void deleteFile(Path name) throws IOException {
    stream.deleteFile(name);
  }

  void deleteDirectory(Path name) throws IOException {
    stream.deleteDirectory(name);
  }

  /** Whether no other name lies here; looks no further than to the first that does. */
  boolean hasNothingBut(Path name) throws IOException {
    // A stream can be listed once only, so a fresh one is opened on the same directory.
    try (var listing = stream.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS)) {
      for (Path entry : listing) {
        if (!name.equals(entry.getFileName())) {
          return false;
        }
      }
      return true;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /** Makes the names in here last over a power cut. */
  void sync() throws IOException {
    try (var channel =
        asFile(stream.newByteChannel(Path.of("."), Set.of(StandardOpenOption.READ)))) {
      channel.force(true);
    }
  }

  private static FileChannel asFile(SeekableByteChannel channel) throws IOException {
    if (channel instanceof FileChannel file) {
      return file;
    }
    channel.close();
    throw new IOException("this file system's channels cannot be synchronised");
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
