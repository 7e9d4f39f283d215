package org.tpubootd.pci;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Deadline;

/**
 * Calls of the kernel that may never come back: writes to sysfs, and reads that take a device's
 * lock. Each has a deadline. One that hangs holds the lock of its device, so that every further one
 * on that device would hang as well, with a thread each: they are refused until it is back.
 */
final class KernelFiles {

  private final HostRoot root;
  private final Duration limit;
  private final ConcurrentMap<String, String> underWay = new ConcurrentHashMap<>();

  /**
   * @param limit for each call
   */
  KernelFiles(HostRoot root, Duration limit) {
    this.root = root;
    this.limit = limit;
  }

  /**
   * Writes in one go.
   *
   * @param owner whose lock the kernel takes for it: a PCI function's address
   * @throws Deadline.Passed when it hangs
   */
  void write(String owner, Path file, String text) throws IOException, InterruptedException {
    String what =
        "writing '%s' to %s".formatted(text.equals("\n") ? "\\n" : text, root.onHost(file));
    call(
        owner,
        what,
        () -> {
          // Without CREATE: in sysfs nothing can be made, and in a test's tree nothing should be.
          try (FileChannel channel =
              FileChannel.open(
                  file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
          }
          return "";
        });
  }

  /** Reads one line. */
  String read(String owner, Path file) throws IOException, InterruptedException {
    return call(owner, "reading " + root.onHost(file), () -> Files.readString(file).strip());
  }

  /** The call on this owner that does not come back, as in "writing '1' to /sys/…". */
  Optional<String> hanging(String owner) {
    return Optional.ofNullable(underWay.get(owner));
  }

  private String call(String owner, String what, Callable<String> call)
      throws IOException, InterruptedException {
    String earlier = underWay.putIfAbsent(owner, what);
    if (earlier != null) {
      throw new IOException(what + " was not tried, since " + earlier + " still hangs");
    }
    try {
      return Deadline.callKernel(
          what,
          limit,
          () -> {
            try {
              return call.call();
            } finally {
              underWay.remove(owner);
            }
          });
    } catch (Deadline.Passed e) {
      throw e;
    } catch (IOException e) {
      throw new IOException(what + " failed: " + reason(e), e);
    }
  }

  /** What went wrong, without the path that Java puts before it. */
  static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException file when file.getReason() != null -> file.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }
}
