package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.HostRoot;

/**
 * An archive of an image in the folder of those that are baked into an OS image, with its sum
 * beside it. It is there whole or not at all.
 */
final class SavedArchive {

  private static final String UNFINISHED = ".unfinished";

  private final HostRoot root;
  private final String name;

  /**
   * @param name of the archive, without its ending
   */
  SavedArchive(HostRoot root, String name) {
    this.root = root;
    this.name = name + ".tar";
  }

  /** As the host sees it. */
  String path() {
    return Tarballs.BAKED + "/" + name;
  }

  /**
   * Writes it.
   *
   * @param limit for the engine's part of the work
   */
  void write(ImageName image, EngineImages engine, Duration limit)
      throws EngineException, IOException, InterruptedException {
    Path folder = Files.createDirectories(root.resolve(Tarballs.BAKED));
    sweep(folder);
    Path unfinished = Files.createTempFile(folder, "." + name + ".", UNFINISHED);
    try (var channel = FileChannel.open(unfinished, WRITE);
        FileLock _ = channel.lock()) {
      String sum = save(image, engine, limit, channel);
      check(image, unfinished);
      publish(folder, unfinished, channel, sum);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private static String save(
      ImageName image, EngineImages engine, Duration limit, FileChannel channel)
      throws EngineException, IOException, InterruptedException {
    var out = new Summing(Channels.newOutputStream(channel));
    try {
      engine.save(image, out, limit);
    } catch (EngineException e) {
      // A full disk of ours is nothing that the engine could be blamed for.
      if (out.failure != null) {
        throw out.failure;
      }
      throw e;
    }
    return HexFormat.of().formatHex(out.sum.digest());
  }

  private static void check(ImageName image, Path file) throws IOException {
    try (InputStream tar = Files.newInputStream(file)) {
      if (TarImages.names(tar).stream().anyMatch(inside -> Tarballs.isSame(inside, image))) {
        return;
      }
    } catch (IOException e) {
      throw new IOException("what the engine gave is no whole archive: " + e.getMessage(), e);
    }
    throw new IOException("what the engine gave is no archive of it");
  }

  /** The old sum goes first: an archive without one is taken, one with another's is not. */
  private void publish(Path folder, Path unfinished, FileChannel channel, String sum)
      throws IOException {
    Path archive = folder.resolve(name);
    Path beside = folder.resolve(name + Tarballs.SUM);
    Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-r--r--"));
    channel.force(true);
    Files.deleteIfExists(beside);
    Files.move(unfinished, archive, ATOMIC_MOVE, REPLACE_EXISTING);
    Path newSum = Files.createTempFile(folder, "." + name + ".", UNFINISHED);
    try {
      Files.writeString(newSum, sum + "  " + name + "\n", US_ASCII);
      Files.setPosixFilePermissions(newSum, PosixFilePermissions.fromString("rw-r--r--"));
      Files.move(newSum, beside, ATOMIC_MOVE, REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(newSum);
    }
    try (var directory = FileChannel.open(folder, READ)) {
      directory.force(true);
    }
  }

  /** What a save of this archive that was killed has left: nobody holds its lock any more. */
  private void sweep(Path folder) throws IOException {
    try (var files = Files.newDirectoryStream(folder, "." + name + ".*" + UNFINISHED)) {
      for (Path file : files) {
        try (var channel = FileChannel.open(file, WRITE);
            FileLock lock = channel.tryLock()) {
          if (lock != null) {
            Files.delete(file);
          }
        }
      }
    }
  }

  /** Counts the sum of what goes through, and remembers what failed behind it. */
  private static final class Summing extends FilterOutputStream {
    private final MessageDigest sum = ContainerSpec.sha256();
    private @Nullable IOException failure;

    Summing(OutputStream to) {
      super(to);
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
      sum.update(bytes, from, length);
    }
  }
}
