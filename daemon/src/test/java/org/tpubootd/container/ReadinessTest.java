package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.HostRoot;
import org.tpubootd.config.ReadyConfig;
import org.tpubootd.container.Observed.Status;
import org.tpubootd.core.FakeTime;

/** Tests for {@link Readiness}. */
class ReadinessTest {

  private static final Observed RUN =
      Configs.container("a", Status.RUNNING, "s", "2026-11-30T08:00:00Z");
  private static final Observed NEXT_RUN =
      Configs.container("a", Status.RUNNING, "s", "2026-11-30T09:00:00Z");
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path root;
  private final FakeTime time = new FakeTime();

  @Test
  void running_isReadyUnasked() throws Exception {
    Readiness readiness = readiness(ReadyConfig.Type.RUNNING, null, "/", null);

    assertThat(readiness.whyNot(RUN, Duration.ZERO)).isEmpty();
    assertThat(readiness.untilDue()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  void tcp_readyWhenThePortTakesAConnection(String address) throws Exception {
    int port;
    try (var server = new ServerSocket(0, 5, InetAddress.ofLiteral(address))) {
      port = server.getLocalPort();
      assertThat(readiness(ReadyConfig.Type.TCP, port, "/", null).whyNot(RUN, LONG)).isEmpty();
    }
    assertThat(readiness(ReadyConfig.Type.TCP, port, "/", null).whyNot(RUN, LONG))
        .get()
        .asString()
        .startsWith("cannot look whether it is ready: a connection to port " + port + ": ")
        .contains("refused");
  }

  @ParameterizedTest
  @CsvSource({"200, true", "204, true", "302, true", "399, true", "404, false", "503, false"})
  void http_readyByTheStatus(int status, boolean ready) throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    server.createContext(
        "/healthz",
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
    try {
      int port = server.getAddress().getPort();
      Optional<String> whyNot =
          readiness(ReadyConfig.Type.HTTP, port, "/healthz", null).whyNot(RUN, LONG);
      assertThat(whyNot.isEmpty()).isEqualTo(ready);
      whyNot.ifPresent(why ->
          assertThat(why)
              .isEqualTo(
                  "GET http://localhost:%d/healthz was answered with %d".formatted(port, status)));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void http_neverAnsweredIsNotReadyInTime() throws Exception {
    try (var server = new ServerSocket(0, 5, InetAddress.ofLiteral("127.0.0.1"))) {
      int port = server.getLocalPort();
      assertThat(
              readiness(ReadyConfig.Type.HTTP, port, "/", null, Duration.ofMillis(200))
                  .whyNot(RUN, LONG))
          .get()
          .asString()
          .contains("did not come back within 200 ms");
    }
  }

  @Test
  void http_pathThatIsNoneIsTold() throws Exception {
    assertThat(readiness(ReadyConfig.Type.HTTP, 1, "/{x}", null).whyNot(RUN, LONG))
        .get()
        .asString()
        .endsWith("ready.path is no path of a URL");
  }

  @Test
  void unix_readyWhenTheSocketTakesAConnection() throws Exception {
    Readiness before = readiness(ReadyConfig.Type.UNIX, null, "/", "/vbar.sock");
    assertThat(before.whyNot(RUN, LONG)).get().asString().contains("/vbar.sock");
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(root.resolve("vbar.sock")));
      assertThat(readiness(ReadyConfig.Type.UNIX, null, "/", "/vbar.sock").whyNot(RUN, LONG))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "TCP, ready.port is not set",
    "HTTP, ready.port is not set",
    "UNIX, ready.socket is not set"
  })
  void notSet_isToldNotGuessed(ReadyConfig.Type type, String why) throws Exception {
    assertThat(readiness(type, null, "/", null).whyNot(RUN, LONG)).get().asString().endsWith(why);
  }

  @Test
  void whyNot_asksSlowlyHoweverOftenItIsCalled() throws Exception {
    try (var server = new Counting()) {
      Readiness readiness = readiness(ReadyConfig.Type.HTTP, server.port(), "/", null);
      for (int second = 0; second < 60; second++) {
        assertThat(readiness.whyNot(RUN, LONG)).isEmpty();
        time.advance(Duration.ofSeconds(1));
      }
      assertThat(server.asked).hasValue(2);
    }
  }

  @Test
  void whyNot_asksMoreOftenWhileItStarts() throws Exception {
    try (var server = new Counting()) {
      server.status = 503;
      Readiness readiness = readiness(ReadyConfig.Type.HTTP, server.port(), "/", null);
      readiness.whyNot(RUN, Duration.ZERO);
      assertThat(readiness.isStarting(Duration.ZERO)).isTrue();
      assertThat(readiness.untilDue()).isEqualTo(Duration.ofSeconds(2));
      time.advance(Duration.ofSeconds(2));
      server.status = 200;

      assertThat(readiness.whyNot(RUN, Duration.ofSeconds(2))).isEmpty();
      assertThat(readiness.isStarting(Duration.ofSeconds(2))).isFalse();
      assertThat(readiness.untilDue()).isEqualTo(Duration.ofSeconds(30));
    }
  }

  @Test
  void whyNot_nextRunStartsAnew() throws Exception {
    try (var server = new Counting()) {
      Readiness readiness = readiness(ReadyConfig.Type.HTTP, server.port(), "/", null);
      readiness.whyNot(RUN, LONG);
      server.status = 503;

      assertThat(readiness.whyNot(NEXT_RUN, Duration.ZERO)).isPresent();
      assertThat(readiness.isStarting(Duration.ZERO)).isTrue();
    }
  }

  @Test
  void isStarting_endsWithTheStartPeriod() throws Exception {
    Readiness readiness = readiness(ReadyConfig.Type.TCP, 1, "/", null);
    readiness.whyNot(RUN, Duration.ZERO);
    assertThat(readiness.isStarting(Duration.ofSeconds(29))).isTrue();
    assertThat(readiness.isStarting(Duration.ofSeconds(30))).isFalse();
  }

  /** Answers with one status, and counts. */
  private static final class Counting implements AutoCloseable {
    final AtomicInteger asked = new AtomicInteger();
    volatile int status = 200;
    private final HttpServer server;

    Counting() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            asked.incrementAndGet();
            byte[] body = "ok".getBytes(US_ASCII);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
    }

    int port() {
      return server.getAddress().getPort();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  private Readiness readiness(
      ReadyConfig.Type type, @Nullable Integer port, String path, @Nullable String socket) {
    return readiness(type, port, path, socket, Duration.ofSeconds(20));
  }

  private Readiness readiness(
      ReadyConfig.Type type,
      @Nullable Integer port,
      String path,
      @Nullable String socket,
      Duration timeout) {
    return new Readiness(
        new ReadyConfig(
            type, port, path, socket, Duration.ofSeconds(30), Duration.ofSeconds(30), timeout),
        new HostRoot(root),
        time);
  }
}
