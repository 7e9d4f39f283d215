package org.tpubootd.systemd;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.tpubootd.core.Time;

/**
 * The socket that NOTIFY_SOCKET names, by the protocol of sd_notify(3). It is a datagram socket of
 * the Unix kind, which the JDK does not have, so libc is called by the foreign-function API. The
 * numbers are the kernel's and the same on x86-64 and arm64. A socket is opened for each message:
 * there are few, and nothing has to be closed or to be opened again after systemd re-executes.
 */
final class NotifySocket implements Notifications {

  private static final short AF_UNIX = 1;
  private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
  private static final int MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000;

  /** sockaddr_un: two bytes for the family, 108 for the path. */
  private static final int FAMILY_BYTES = 2;

  private static final int PATH_BYTES = 108;

  private static final int EAGAIN = 11;

  /** A full queue empties when systemd reads it: it is busy at boot, but not for ever. */
  private static final int TRIES = 50;

  private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);

  private final String name;
  private final Time time;
  private final Libc libc = new Libc();

  private NotifySocket(String name, Time time) {
    this.name = name;
    this.time = time;
  }

  /** By the environment; without NOTIFY_SOCKET nobody is there to be told, and nothing is sent. */
  static Notifications of(Map<String, String> environment, Time time) {
    String name = environment.getOrDefault("NOTIFY_SOCKET", "");
    return name.isEmpty() ? _ -> {} : new NotifySocket(name, time);
  }

  @Override
  public void send(String message) throws IOException, InterruptedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = address(arena);
      byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
      MemorySegment text = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      // Never a blocking send: it would hold a carrier thread for as long as PID 1 hangs.
      for (int tries = 1; ; tries++) {
        int errno = libc.send(arena, address, text);
        if (errno == 0) {
          return;
        }
        if (errno != EAGAIN || tries == TRIES) {
          throw new IOException("sending to " + name + " failed with " + describe(errno));
        }
        time.sleep(BETWEEN_TRIES);
      }
    }
  }

  /**
   * A path, or with {@code @} a name of the abstract namespace: a zero byte stands for the
   * {@code @}, and the length ends the name, not a zero.
   */
  private MemorySegment address(Arena arena) throws IOException {
    boolean isAbstract = name.startsWith("@");
    if (!isAbstract && !name.startsWith("/")) {
      throw new IOException(
          "NOTIFY_SOCKET is '" + name + "', neither a path nor a name that begins with @");
    }
    byte[] path = name.getBytes(StandardCharsets.UTF_8);
    if (path.length >= PATH_BYTES) {
      throw new IOException("NOTIFY_SOCKET is longer than a socket's address can be: " + name);
    }
    MemorySegment address = arena.allocate(FAMILY_BYTES + path.length + (isAbstract ? 0 : 1));
    address.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, AF_UNIX);
    MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, FAMILY_BYTES, path.length);
    if (isAbstract) {
      address.set(ValueLayout.JAVA_BYTE, FAMILY_BYTES, (byte) 0);
    }
    return address;
  }

  private static String describe(int errno) {
    String meaning =
        switch (errno) {
          case 2 -> "ENOENT, there is no such socket";
          case EAGAIN -> "EAGAIN, its queue stayed full";
          case 13 -> "EACCES, it may not be written to";
          case 24 -> "EMFILE, too many files are open";
          case 90 -> "EMSGSIZE, the message is too long";
          case 111 -> "ECONNREFUSED, nobody listens";
          default -> "the kernel's error";
        };
    return meaning + " (" + errno + ")";
  }

  /** The calls of libc. */
  @SuppressWarnings("restricted") // Enable-Native-Access in the jar's manifest allows it.
  private static final class Libc {

    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
        STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle socket;
    private final MethodHandle sendto;
    private final MethodHandle close;

    Libc() {
      var integer = ValueLayout.JAVA_INT;
      var size = ValueLayout.JAVA_LONG;
      var pointer = ValueLayout.ADDRESS;
      socket = function("socket", FunctionDescriptor.of(integer, integer, integer, integer));
      sendto =
          function(
              "sendto",
              FunctionDescriptor.of(size, integer, pointer, size, integer, pointer, integer));
      close = function("close", FunctionDescriptor.of(integer, integer));
    }

    private static MethodHandle function(String name, FunctionDescriptor type) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow(name), type, Linker.Option.captureCallState("errno"));
    }

    /** Opens a socket, sends, closes it; gives errno, or 0. */
    int send(Arena arena, MemorySegment address, MemorySegment text) {
      MemorySegment state = arena.allocate(STATE);
      try {
        int fd = (int) socket.invokeExact(state, (int) AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
        if (fd < 0) {
          return errno(state);
        }
        long sent =
            (long)
                sendto.invokeExact(
                    state,
                    fd,
                    text,
                    text.byteSize(),
                    MSG_DONTWAIT_NOSIGNAL,
                    address,
                    (int) address.byteSize());
        int errno = sent < 0 ? errno(state) : 0;
        int _ = (int) close.invokeExact(state, fd);
        return errno;
      } catch (Throwable e) {
        // Method handles declare Throwable; libc's functions throw nothing.
        throw new IllegalStateException("a call of libc broke", e);
      }
    }

    private static int errno(MemorySegment state) {
      return (int) ERRNO.get(state, 0L);
    }
  }
}
