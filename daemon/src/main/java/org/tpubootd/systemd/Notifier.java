package org.tpubootd.systemd;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.SystemdConfig;
import org.tpubootd.core.Bell;
import org.tpubootd.core.Board;
import org.tpubootd.core.Part;
import org.tpubootd.core.Time;

/**
 * Tells systemd what the board shows: READY=1 once files and devices are ready, or at the latest
 * after the configured time; STATUS= always; WATCHDOG=1 only while every loop makes progress. A
 * message that cannot be sent is tried again, logged once, and never fatal. Runs until interrupted;
 * thread-safe.
 *
 * <p>Enlist the parts before it runs: an empty board is a ready one.
 */
public final class Notifier implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Notifier.class);

  /** STATUS= is told at most so often: a pull changes it many times a second. */
  private static final Duration STATUS_PACE = Duration.ofSeconds(1);

  private static final Duration RETRY = Duration.ofSeconds(1);

  /** Loops are looked at so often for being stuck, with or without a watchdog. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final Notifications systemd;
  private final Optional<Duration> feedEvery;
  private final Duration readyAfter;
  private final Board board;
  private final Supplier<List<String>> stuck;
  private final Time time;
  private final Bell bell = new Bell();
  private final long started;

  // Guarded by this.
  private boolean owesReady = true;
  private boolean announced;
  private boolean reloading;
  private boolean stopping;
  private boolean unheard;
  private String toldStatus = "";
  private long toldStatusAt;
  private long fedAt;
  private List<String> toldStuck = List.of();

  /**
   * @param environment the process's: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are used
   * @param stuck names of the parts whose loops are stuck
   */
  public Notifier(
      Map<String, String> environment,
      SystemdConfig config,
      Board board,
      Supplier<List<String>> stuck,
      Time time) {
    this(
        NotifySocket.of(environment, time),
        Watchdog.feedEvery(environment, ProcessHandle.current().pid()),
        config.readyAfter(),
        board,
        stuck,
        time);
  }

  Notifier(
      Notifications systemd,
      Optional<Duration> feedEvery,
      Duration readyAfter,
      Board board,
      Supplier<List<String>> stuck,
      Time time) {
    this.systemd = systemd;
    this.feedEvery = feedEvery;
    this.readyAfter = readyAfter;
    this.board = board;
    this.stuck = stuck;
    this.time = time;
    this.started = time.nanos();
    this.toldStatusAt = started - STATUS_PACE.toNanos();
    this.fedAt = started - feedEvery.orElse(Duration.ZERO).toNanos();
  }

  @Override
  public void run() {
    board.onChange(_ -> bell.ring());
    try {
      while (!Thread.currentThread().isInterrupted()) {
        time.await(bell, step());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The configuration is being read again. Before the first READY=1 systemd is not told: it is
   * still starting the service then.
   */
  public synchronized void reloading() {
    if (!announced || stopping) {
      return;
    }
    reloading = true;
    // systemd wants its CLOCK_MONOTONIC, and System.nanoTime() is just that on Linux (a test holds
    // it), so that it can tell this reload from one asked for later.
    toldStatus = "reloading the configuration";
    send("RELOADING=1\nMONOTONIC_USEC=%d\nSTATUS=%s".formatted(time.nanos() / 1000, toldStatus));
  }

  /** The reload has ended, well or not: the service is as ready as it was. */
  public synchronized void reloaded() {
    if (!reloading) {
      return;
    }
    reloading = false;
    owesReady = true;
    step();
    bell.ring();
  }

  /** The daemon is about to end. Only the watchdog is told of from now on. */
  public synchronized void stopping() {
    if (!stopping) {
      stopping = true;
      send("STOPPING=1\nSTATUS=stopping");
    }
  }

  /** Tells what is to be told now; gives how long nothing is, unless the board changes. */
  synchronized Duration step() {
    List<String> parts = stuck.get();
    tellStuckToLog(parts);
    if (!stopping && !reloading) {
      tellBoard(StatusLine.of(board.conditions(), parts));
    }
    feedEvery.ifPresent(every -> {
      if (parts.isEmpty() && time.since(fedAt).compareTo(every) >= 0 && send("WATCHDOG=1")) {
        fedAt = time.nanos();
      }
    });
    return untilNext();
  }

  private void tellBoard(String status) {
    boolean late = time.since(started).compareTo(readyAfter) >= 0;
    boolean hostReady = board.ready(Part.Group.HOST);
    if (owesReady && (announced || hostReady || late)) {
      if (send("READY=1\nSTATUS=" + status)) {
        if (!announced && !hostReady) {
          log.warn(
              "not ready within {} s; a boot that waits for this service goes on: {}",
              readyAfter.toSeconds(),
              status);
        }
        announced = true;
        owesReady = false;
        toldStatus(status);
      }
    } else if (!status.equals(toldStatus)
        && time.since(toldStatusAt).compareTo(STATUS_PACE) >= 0
        && send("STATUS=" + status)) {
      toldStatus(status);
    }
  }

  private void toldStatus(String status) {
    toldStatus = status;
    toldStatusAt = time.nanos();
  }

  private void tellStuckToLog(List<String> parts) {
    if (parts.equals(toldStuck)) {
      return;
    }
    toldStuck = List.copyOf(parts);
    if (parts.isEmpty()) {
      log.info("no loop is stuck any more");
    } else {
      log.error(
          "stuck: {}: a pass takes longer than all its deadlines; the watchdog is no longer fed",
          String.join(", ", parts));
    }
  }

  private Duration untilNext() {
    Duration wait = LONGEST_WAIT;
    if (feedEvery.isPresent() && toldStuck.isEmpty()) {
      wait = earlier(wait, feedEvery.get().minus(time.since(fedAt)));
    }
    if (!stopping && !reloading) {
      if (owesReady) {
        wait = earlier(wait, readyAfter.minus(time.since(started)));
      }
      if (!StatusLine.of(board.conditions(), toldStuck).equals(toldStatus)) {
        wait = earlier(wait, STATUS_PACE.minus(time.since(toldStatusAt)));
      }
    }
    if (unheard) {
      return RETRY;
    }
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private static Duration earlier(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private boolean send(String message) {
    try {
      systemd.send(message);
      if (unheard) {
        log.info("systemd can be told again");
      }
      unheard = false;
      return true;
    } catch (IOException e) {
      if (!unheard) {
        log.warn(
            "systemd cannot be told how the service is; it is tried again: {}", e.getMessage());
      }
      unheard = true;
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
