package org.tpubootd.container;

import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.HostRoot;
import org.tpubootd.config.ReadyConfig;
import org.tpubootd.core.Deadline;
import org.tpubootd.core.Time;

/**
 * Looks whether a running container is ready: slowly, whatever wakes the supervisor, since agents
 * have crashed under clients that ask too often. What it finds is told and never acted on. Not
 * thread-safe.
 */
final class Readiness {

  /** While it starts it is looked at more often: a connection that is refused costs it nothing. */
  private static final Duration EAGER = Duration.ofSeconds(2);

  private final ReadyConfig config;
  private final HostRoot root;
  private final Time time;
  private String run = "";
  private boolean wasReady;
  private @Nullable String failure;
  private long due;

  Readiness(ReadyConfig config, HostRoot root, Time time) {
    this.config = config;
    this.root = root;
    this.time = time;
  }

  /**
   * Asks, if it is time to.
   *
   * @param runningFor how long it has run
   * @return why it is not ready, a sentence; empty where it is
   */
  Optional<String> whyNot(Observed running, Duration runningFor) throws InterruptedException {
    if (config.type() == ReadyConfig.Type.RUNNING) {
      return Optional.empty();
    }
    boolean newRun = !running.run().equals(run);
    if (newRun) {
      run = running.run();
      wasReady = false;
    }
    if (newRun || !untilDue().isPositive()) {
      failure = ask();
      wasReady |= failure == null;
      Duration wait = isStarting(runningFor) ? EAGER : config.interval();
      due = time.nanos() + wait.toNanos();
    }
    return Optional.ofNullable(failure);
  }

  /** Whether it need not be ready yet. */
  boolean isStarting(Duration runningFor) {
    return !wasReady && runningFor.compareTo(config.startPeriod()) < 0;
  }

  /** How long until it is asked again; nothing where nothing is ever asked. */
  Duration untilDue() {
    return config.type() == ReadyConfig.Type.RUNNING
        ? Duration.ZERO
        : Duration.ofNanos(due - time.nanos());
  }

  private @Nullable String ask() throws InterruptedException {
    String what = what();
    try {
      return Deadline.call(what, config.timeout(), question());
    } catch (IOException e) {
      return "cannot look whether it is ready: %s: %s".formatted(what, e.getMessage());
    }
  }

  private String what() {
    return switch (config.type()) {
      case RUNNING -> "nothing";
      case TCP -> "a connection to port " + config.port();
      case HTTP -> "GET http://localhost:" + config.port() + config.path();
      case UNIX -> "a connection to " + config.socket();
    };
  }

  private Callable<@Nullable String> question() throws IOException {
    return switch (config.type()) {
      case RUNNING -> () -> null;
      case TCP -> {
        int port = port();
        yield () -> atLoopback(host -> connect(host, port));
      }
      case HTTP -> {
        int port = port();
        yield () -> atLoopback(host -> get(host, port));
      }
      case UNIX -> {
        if (config.socket() == null) {
          throw new IOException("ready.socket is not set");
        }
        var address = UnixDomainSocketAddress.of(root.resolve(config.socket()));
        yield () -> {
          try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(address);
            return null;
          }
        };
      }
    };
  }

  private int port() throws IOException {
    if (config.port() == null) {
      throw new IOException("ready.port is not set");
    }
    return config.port();
  }

  /** Asks at one address; what it gives is why the container is not ready, or null. */
  private interface Question {
    @Nullable String ask(String host) throws IOException;
  }

  /** At both addresses of the loopback, since an agent may listen at one of them only. */
  private static @Nullable String atLoopback(Question question) throws IOException {
    try {
      return question.ask("127.0.0.1");
    } catch (ConnectException e) {
      try {
        return question.ask("[::1]");
      } catch (SocketException e6) {
        e.addSuppressed(e6);
        throw e;
      }
    }
  }

  private static @Nullable String connect(String host, int port) throws IOException {
    try (var socket = new Socket(Proxy.NO_PROXY)) {
      socket.connect(new InetSocketAddress(InetAddress.getByName(host), port));
      return null;
    }
  }

  private @Nullable String get(String host, int port) throws IOException {
    var connection = (HttpURLConnection) url(host, port).openConnection(Proxy.NO_PROXY);
    try {
      connection.setInstanceFollowRedirects(false);
      int status = connection.getResponseCode();
      return status >= 200 && status < 400 ? null : what() + " was answered with " + status;
    } finally {
      connection.disconnect();
    }
  }

  private URL url(String host, int port) throws IOException {
    try {
      return new URI("http://" + host + ":" + port + config.path()).toURL();
    } catch (URISyntaxException e) {
      throw new IOException("ready.path is no path of a URL", e);
    }
  }
}
