package org.tpubootd.tests.container;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** A socket in an engine's place that takes every connection and hangs up. */
final class RudeSocket implements Closeable {

  private final Path socket;
  private final ServerSocketChannel server;
  private final AtomicInteger calls = new AtomicInteger();

  RudeSocket(Path socket) throws IOException {
    this.socket = socket;
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofVirtual().name("rude-socket").start(this::hangUp);
  }

  private void hangUp() {
    try {
      while (true) {
        server.accept().close();
        calls.incrementAndGet();
      }
    } catch (IOException _) {
      // Closed: that is how the test ends it.
    }
  }

  /** How many there were so far. */
  int calls() {
    return calls.get();
  }

  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(socket);
  }
}
