package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.tpubootd.core.Deadline;

/**
 * Whether there is an engine at the socket at all. One asks for all: while it is away, whoever
 * wants something of it is told so at once and does not try for himself. An engine that takes the
 * call and says nothing is there, and so is one that answers with an error: those are told call by
 * call. Thread-safe, with one thread that looks.
 */
final class Presence {

  /** An engine that needs longer is a slow one, or hangs: each call finds out by its deadline. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final String PING =
      "GET /_ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private final AtomicInteger losses = new AtomicInteger();
  private volatile @Nullable IOException away;

  /** Why it is away, as the last look found it; empty where it is there, or nobody looks. */
  Optional<IOException> away() {
    return Optional.ofNullable(away);
  }

  /**
   * How often the engine was seen to go: never by how much, since one restart may be seen both by
   * the end of the events and by a knock in vain.
   */
  int losses() {
    return losses.get();
  }

  /** What it told us of its own accord has ended, as it does when its process ends. */
  void fellSilent() {
    losses.incrementAndGet();
  }

  /** Nobody looks any more: from now on each call finds out for itself. */
  void lookedNoMore() {
    away = null;
  }

  /**
   * Knocks at the socket and waits for the first byte of an answer. Costs next to nothing, unlike a
   * call by docker-java.
   *
   * @return whether that has changed
   */
  boolean look(String socket) throws InterruptedException {
    boolean wasAway = away != null;
    away = knock(socket);
    if (away != null && !wasAway) {
      losses.incrementAndGet();
    }
    return wasAway != (away != null);
  }

  /** Null where somebody answers, or may do so later. */
  private static @Nullable IOException knock(String socket) throws InterruptedException {
    try {
      return Deadline.call("a knock at the engine's socket", PATIENCE, () -> answer(socket));
    } catch (Deadline.Passed _) {
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private static @Nullable IOException answer(String socket) throws IOException {
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.write(ByteBuffer.wrap(PING.getBytes(US_ASCII)));
      if (channel.read(ByteBuffer.allocate(1)) < 0) {
        throw new EOFException("it hung up without an answer");
      }
      return null;
    }
  }
}
