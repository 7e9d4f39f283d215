package org.tpubootd.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a running container counts as ready.
 *
 * @param port that is connected to on the host's loopback; null where the type needs none
 * @param path that is asked for by http
 * @param socket path of a Unix socket as the host sees it; null where the type needs none
 * @param startPeriod how long after its start it need not be ready yet
 * @param interval between two looks
 * @param timeout of one look
 */
public record ReadyConfig(
    Type type,
    @Nullable Integer port,
    String path,
    @Nullable String socket,
    Duration startPeriod,
    Duration interval,
    Duration timeout) {

  /** What is looked at. */
  public enum Type {
    /** It runs: nothing more is asked. */
    RUNNING,
    /** Somebody takes a connection at the port. */
    TCP,
    /** A GET of the path is answered with 200 to 399. */
    HTTP,
    /** Somebody takes a connection at the socket. */
    UNIX
  }

  /** vBar has crashed under clients that asked it every few seconds. */
  private static final Duration LEAST_INTERVAL = Duration.ofSeconds(10);

  /** Runs, and nothing is asked. */
  public static final ReadyConfig RUNNING = running(null);

  /**
   * @param port where it is known to listen; null where that is not known
   */
  static ReadyConfig running(@Nullable Integer port) {
    return new ReadyConfig(
        Type.RUNNING,
        port,
        "/",
        null,
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        Duration.ofSeconds(2));
  }

  static ReadyConfig from(Section section, ReadyConfig standard) {
    return new ReadyConfig(
        section.choice("type", standard.type()),
        section.optionalInteger("port", standard.port(), 1, 65535),
        section
            .optionalPattern("path", "/[!-~]*", "a path such as /healthz")
            .orElse(standard.path()),
        section.optionalPattern("socket", "/.+", "an absolute path").orElse(standard.socket()),
        section.duration("start-period", standard.startPeriod()),
        section.duration("interval", standard.interval(), LEAST_INTERVAL),
        section.duration("timeout", standard.timeout()));
  }
}
