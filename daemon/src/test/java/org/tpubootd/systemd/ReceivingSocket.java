package org.tpubootd.systemd;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** systemd's end of a notification socket: a bound Unix datagram socket, made by libc's calls. */
@SuppressWarnings("restricted")
final class ReceivingSocket implements AutoCloseable {

  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVTIMEO = 20;
  private static final int LIMIT_SECONDS = 10;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final int fd;

  /**
   * @param name a path, or with {@code @} an abstract name
   */
  ReceivingSocket(String name) throws Throwable {
    fd =
        (int)
            function("socket", FunctionDescriptor.of(INT, INT, INT, INT))
                .invokeExact(AF_UNIX, SOCK_DGRAM, 0);
    try (Arena arena = Arena.ofConfined()) {
      byte[] path = name.getBytes(StandardCharsets.UTF_8);
      boolean isAbstract = name.startsWith("@");
      MemorySegment address = arena.allocate(2 + path.length + (isAbstract ? 0 : 1));
      address.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) AF_UNIX);
      MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, 2, path.length);
      if (isAbstract) {
        address.set(ValueLayout.JAVA_BYTE, 2, (byte) 0);
      }
      int bound =
          (int)
              function("bind", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT))
                  .invokeExact(fd, address, (int) address.byteSize());
      MemorySegment timeval = arena.allocate(LONG, 2);
      timeval.set(LONG, 0, LIMIT_SECONDS);
      int limited =
          (int)
              function(
                      "setsockopt",
                      FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT))
                  .invokeExact(fd, SOL_SOCKET, SO_RCVTIMEO, timeval, (int) timeval.byteSize());
      if (fd < 0 || bound != 0 || limited != 0) {
        throw new IllegalStateException("cannot receive on " + name);
      }
    }
  }

  private static MethodHandle function(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /** The next message; fails when none comes within ten seconds. */
  String receive() throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(4096);
      long length =
          (long)
              function("recv", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT))
                  .invokeExact(fd, buffer, buffer.byteSize(), 0);
      if (length < 0) {
        throw new AssertionError("no message came");
      }
      return new String(
          buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }

  /** CLOCK_MONOTONIC by the kernel's word, in nanoseconds. */
  static long monotonicNanos() throws Throwable {
    int clockMonotonic = 1;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment timespec = arena.allocate(LONG, 2);
      int failed =
          (int)
              function("clock_gettime", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS))
                  .invokeExact(clockMonotonic, timespec);
      if (failed != 0) {
        throw new IllegalStateException("clock_gettime failed");
      }
      return timespec.get(LONG, 0) * 1_000_000_000 + timespec.get(LONG, 8);
    }
  }

  @Override
  public void close() {
    try {
      int _ = (int) function("close", FunctionDescriptor.of(INT, INT)).invokeExact(fd);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
