package org.tpubootd.health;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The JDK's HTTP server on one address, with limits that a slow or hostile client cannot pass. */
final class Listener implements AutoCloseable {

  private static final int BACKLOG = 64;
  private static final Duration SELF_CHECK = Duration.ofSeconds(2);

  /**
   * The server's only switches are system properties, read once, when its first class is loaded. By
   * default it waits for ever for the rest of a request, and for a client to take an answer. Times
   * are in seconds. What the command line sets goes first.
   */
  private static final Map<String, String> LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.maxRspTime", "10",
          "sun.net.httpserver.idleInterval", "30",
          "sun.net.httpserver.maxReqHeaders", "64",
          "sun.net.httpserver.maxReqHeaderSize", "16384",
          "jdk.httpserver.maxConnections", "512",
          // Headers and body go out in two writes: without this each answer waits 40 ms for an
          // acknowledgement.
          "sun.net.httpserver.nodelay", "true");

  private final HttpServer server;
  private final ExecutorService threads;

  private Listener(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  /**
   * @throws IOException where the address cannot be had
   */
  static Listener open(InetSocketAddress address, HttpHandler handler) throws IOException {
    LIMITS.forEach((name, value) -> System.getProperties().putIfAbsent(name, value));
    HttpServer server = HttpServer.create(address, BACKLOG);
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("health-", 0).factory());
    server.setExecutor(threads);
    server.createContext("/", handler);
    server.start();
    return new Listener(server, threads);
  }

  InetSocketAddress address() {
    return server.getAddress();
  }

  /**
   * Asks itself for a page, as a client would; tells why there was no answer, if there was none.
   */
  Optional<String> silence() {
    InetSocketAddress own = address();
    InetAddress asked =
        own.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : own.getAddress();
    try (var socket = new Socket()) {
      int limit = (int) SELF_CHECK.toMillis();
      socket.setSoTimeout(limit);
      socket.connect(new InetSocketAddress(asked, own.getPort()), limit);
      socket
          .getOutputStream()
          .write(
              "HEAD /livez HTTP/1.1\r\nHost: self\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      return socket.getInputStream().read() < 0
          ? Optional.of("the connection was closed without an answer")
          : Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Ends at once; requests under way are cut off. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
