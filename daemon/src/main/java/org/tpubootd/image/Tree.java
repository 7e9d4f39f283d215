package org.tpubootd.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tpubootd.config.HostRoot;

/**
 * The files below a root, read as the host will read them: symbolic links are followed below the
 * root, so that no file of the machine that builds the image is taken for one of the image.
 */
final class Tree {

  /** Larger than any file of settings, lists of modules among them. */
  private static final long LONGEST = 64L << 20;

  private final HostRoot root;

  Tree(HostRoot root) {
    this.root = root;
  }

  HostRoot root() {
    return root;
  }

  /** Whether something is there, links followed. */
  boolean exists(String path) throws IOException {
    return Files.exists(root.follow(path));
  }

  boolean isDirectory(String path) throws IOException {
    return Files.isDirectory(root.follow(path));
  }

  /** By its mode: a tree may be mounted so that nothing in it can be run here. */
  boolean isProgram(String path) throws IOException {
    Path file = root.follow(path);
    return Files.isRegularFile(file)
        && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OWNER_EXECUTE);
  }

  /**
   * A file's text; its bytes stay what they are, one a character.
   *
   * @return empty where there is no such file
   * @throws IOException where it is there and cannot be read
   */
  Optional<String> text(String path) throws IOException {
    return bytes(path, LONGEST).map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1));
  }

  /** The lines of a file; none where there is no such file. */
  List<String> lines(String path) throws IOException {
    return text(path).map(text -> text.lines().toList()).orElse(List.of());
  }

  /** The first bytes of a file, at most so many. */
  Optional<byte[]> bytes(String path, long atMost) throws IOException {
    Path file = root.follow(path);
    // A pipe would be waited at for ever.
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException(path + " is no file");
    }
    try (var in = Files.newInputStream(file)) {
      return Optional.of(in.readNBytes((int) atMost));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      if (isBelowAFile(e)) {
        return Optional.empty();
      }
      throw told(path, e);
    }
  }

  /** Where a symbolic link leads, as it is written; empty where there is none. */
  Optional<String> link(String path) throws IOException {
    Path link = unfollowed(path);
    return Files.isSymbolicLink(link)
        ? Optional.of(Files.readSymbolicLink(link).toString())
        : Optional.empty();
  }

  /** Whether there is such a name, if only a link that leads nowhere. */
  boolean isListed(String path) throws IOException {
    Path file = unfollowed(path);
    return Files.exists(file) || Files.isSymbolicLink(file);
  }

  PosixFileAttributes attributes(String path) throws IOException {
    try {
      return Files.readAttributes(root.follow(path), PosixFileAttributes.class);
    } catch (IOException e) {
      throw told(path, e);
    }
  }

  /** The number of whom it belongs to. */
  int uid(String path) throws IOException {
    try {
      return (Integer) Files.getAttribute(root.follow(path), "unix:uid");
    } catch (IOException e) {
      throw told(path, e);
    }
  }

  /**
   * The names in a directory, in order of their bytes; none where there is no such directory.
   *
   * @param ending that the names have to have; empty for all
   */
  List<String> names(String directory, String ending) throws IOException {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(root.follow(directory))) {
      var names = new ArrayList<String>();
      for (Path entry : stream) {
        String name = entry.getFileName().toString();
        if (name.endsWith(ending)) {
          names.add(name);
        }
      }
      names.sort(null);
      return names;
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw new IOException(directory + " cannot be listed: " + e.getMessage(), e);
    } catch (IOException e) {
      throw told(directory, e);
    }
  }

  /** The path with its links followed, but for its last name. */
  private Path unfollowed(String path) throws IOException {
    int slash = path.lastIndexOf('/');
    return root.follow(path.substring(0, slash + 1)).resolve(path.substring(slash + 1));
  }

  private static boolean isBelowAFile(IOException e) {
    return e instanceof FileSystemException file && "Not a directory".equals(file.getReason());
  }

  private static IOException told(String path, IOException e) {
    String reason =
        switch (e) {
          case AccessDeniedException _ -> "permission denied";
          case FileSystemException file when file.getReason() != null -> file.getReason();
          default -> String.valueOf(e.getMessage());
        };
    return new IOException(path + " cannot be read: " + reason, e);
  }
}
