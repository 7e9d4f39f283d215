package org.tpubootd.metadata;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.core.FakeTime;

/** Servers that are away, slow, broken or no servers at all. */
class MetadataServerTroubleTest {

  private static final String OK = "HTTP/1.1 200 OK\r\nMetadata-Flavor: Google\r\nETag: e\r\n";

  private static Answer ask(String host, Duration readTimeout) throws InterruptedException {
    var config = Samples.config(host, readTimeout);
    return new MetadataServer(config, new FakeTime()).get(Samples.TPU_ENV);
  }

  private static Answer ask(RawServer server) throws InterruptedException {
    return ask(server.host(), Duration.ofSeconds(20));
  }

  private static void assertLater(Answer answer, String ending) {
    assertThat(answer)
        .isInstanceOfSatisfying(
            Answer.TryLater.class, later -> assertThat(later.cause()).endsWith(ending));
  }

  @Test
  void refusedConnection() throws Exception {
    int port;
    try (var closed = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      port = closed.getLocalPort();
    }

    assertThat(ask("127.0.0.1:" + port, Duration.ofSeconds(20)))
        .isEqualTo(
            new Answer.TryLater(
                "asking the metadata server at 127.0.0.1:"
                    + port
                    + " for instance/attributes/tpu-env: connection refused",
                Optional.empty()));
  }

  @Test
  void nameThatDoesNotResolve() throws Exception {
    // Labels end at 63 characters, so no resolver on the network is asked.
    assertLater(
        ask("a".repeat(64) + ".invalid", Duration.ofSeconds(20)), "the name cannot be resolved");
  }

  @Test
  void answerThatNeverComes() throws Exception {
    try (var server = new RawServer(_ -> new CountDownLatch(1).await())) {
      assertLater(ask(server.host(), Duration.ofMillis(200)), "no answer in the time given");
    }
  }

  @Test
  void bodyThatDripsIsGivenUpAtTheDeadline() throws Exception {
    // Each byte comes well within the read timeout; the whole would take for ever.
    try (var server =
        new RawServer(out -> {
          out.write((OK + "Content-Length: 1000000\r\n\r\n").getBytes(ISO_8859_1));
          while (true) {
            out.write('x');
            out.flush();
            Thread.sleep(20);
          }
        })) {
      assertLater(ask(server.host(), Duration.ofMillis(300)), "no whole answer within 800 ms");
    }
  }

  @Test
  void headThatDripsIsGivenUpAtTheDeadline() throws Exception {
    try (var server =
        new RawServer(out -> {
          out.write(OK.getBytes(ISO_8859_1));
          while (true) {
            out.write("X: y\r\n".getBytes(ISO_8859_1));
            out.flush();
            Thread.sleep(20);
          }
        })) {
      assertThat(ask(server.host(), Duration.ofMillis(300))).isInstanceOf(Answer.TryLater.class);
    }
  }

  @Test
  void bodyShorterThanItsLength() throws Exception {
    try (var server = RawServer.saying(OK + "Content-Length: 10\r\n\r\nZONE")) {
      assertLater(ask(server), "the answer broke off");
    }
  }

  @Test
  void chunkedBodyWithoutItsEnd() throws Exception {
    try (var server = RawServer.saying(OK + "Transfer-Encoding: chunked\r\n\r\n4\r\nZONE\r\n")) {
      assertLater(ask(server), "the answer broke off");
    }
  }

  @Test
  void connectionClosedWithoutAnAnswer() throws Exception {
    try (var server = RawServer.saying("")) {
      assertLater(ask(server), "unexpected end of file from server");
    }
  }

  @Test
  void endlessBodyIsRefusedAtTheLimit() throws Exception {
    var mebibyte = "x".repeat(1 << 20).getBytes(ISO_8859_1);
    try (var server =
        new RawServer(out -> {
          out.write((OK + "\r\n").getBytes(ISO_8859_1));
          while (true) {
            out.write(mebibyte);
          }
        })) {
      assertThat(ask(server)).isInstanceOf(Answer.Refused.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2p1 Debian\r\n",
        "\r\n\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 abc Strange\r\n\r\n",
        "HTTP/1.1 999 Strange\r\n\r\n",
        "HTTP/1.1 99 Strange\r\n\r\n",
        "HTTP/1.1 -200 Strange\r\n\r\n",
        "HTTP/1.1 200 OK\r\nMetadata-Flavor: Google\r\nContent-Length: 999999999999999\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nMetadata-Flavor: Google\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 401 No\r\nWWW-Authenticate: Negotiate\r\n\r\n",
        "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n",
      })
  void whatIsNotTheProtocolIsNoDefectOfOurs(String answer) throws Exception {
    try (var server = RawServer.saying(answer)) {
      assertThat(ask(server)).isInstanceOfAny(Answer.TryLater.class, Answer.Refused.class);
    }
  }

  @Test
  @Timeout(30)
  void longPollEndsAtOnceWhenItsThreadIsInterrupted() throws Exception {
    var interrupted = new AtomicBoolean();
    try (var raw = new RawServer(_ -> new CountDownLatch(1).await())) {
      var server = new MetadataServer(Samples.patient(raw.host()), new FakeTime());
      Thread thread =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  server.waitForChange(Samples.TPU_ENV, "e");
                } catch (InterruptedException e) {
                  interrupted.set(true);
                }
              });
      raw.awaitRequest();

      thread.interrupt();
      thread.join();

      assertThat(interrupted).isTrue();
    }
  }
}
