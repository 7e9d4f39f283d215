package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests for {@link Presence}. */
class PresenceTest {

  @TempDir Path directory;
  private final Presence presence = new Presence();

  /** What a server does with somebody who has connected. */
  private interface Manner {
    void meet(SocketChannel caller) throws IOException;
  }

  @Test
  void look_noSocket_away() throws Exception {
    assertThat(look()).isTrue();

    assertThat(presence.away())
        .hasValueSatisfying(why -> assertThat(why).hasMessageContaining("No such file"));
  }

  @Test
  void look_socketThatNobodyListensAt_away() throws Exception {
    server().close();

    look();

    assertThat(presence.away())
        .hasValueSatisfying(why -> assertThat(why).hasMessageContaining("refused"));
  }

  @Test
  void look_hungUpOn_away() throws Exception {
    try (var _ = server(SocketChannel::close)) {
      look();

      assertThat(presence.away()).isPresent();
    }
  }

  @Test
  void look_answered_thereWhateverItSays() throws Exception {
    try (var _ =
        server(caller -> caller.write(ByteBuffer.wrap("HTTP/1.1 500 No\r\n".getBytes(US_ASCII))))) {
      assertThat(look()).isFalse();

      assertThat(presence.away()).isEmpty();
    }
  }

  @Test
  void look_noAnswer_there() throws Exception {
    try (var _ = server()) {
      look();

      assertThat(presence.away()).isEmpty();
    }
  }

  @Test
  void look_tellsChangesOnly() throws Exception {
    assertThat(look()).as("first seen to be away").isTrue();
    assertThat(look()).as("still away").isFalse();
    try (var _ = server()) {
      assertThat(look()).as("come").isTrue();
      assertThat(look()).as("still there").isFalse();
    }
  }

  @Test
  void lookedNoMore_nothingIsKnown() throws Exception {
    look();

    presence.lookedNoMore();

    assertThat(presence.away()).isEmpty();
  }

  private boolean look() throws InterruptedException {
    return presence.look(directory.resolve("engine.sock").toString());
  }

  /** One that lets callers connect, and no more. */
  private ServerSocketChannel server() throws IOException {
    Path socket = directory.resolve("engine.sock");
    Files.deleteIfExists(socket);
    var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    return server;
  }

  private ServerSocketChannel server(Manner manner) throws IOException {
    ServerSocketChannel server = server();
    Thread.ofVirtual()
        .start(() -> {
          try {
            while (true) {
              manner.meet(server.accept());
            }
          } catch (IOException _) {
            // Closed: that is how the test ends it.
          }
        });
    return server;
  }
}
