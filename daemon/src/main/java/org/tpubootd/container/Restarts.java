package org.tpubootd.container;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.core.Time;

/**
 * Remembers how a container ended and says when it may be started again: at once after the first
 * end, then after waits that double, until a run was long enough to be called healthy. Not
 * thread-safe.
 */
final class Restarts {

  /** From so many ends in a row on it is called a crash loop. */
  static final int LOOP = 3;

  private static final int REMEMBERED = 10;

  /**
   * How one run ended.
   *
   * @param finishedAt the engine's clock, as the engine wrote it
   * @param error why a start failed; empty where the run ended by itself
   */
  record End(long exitCode, boolean oomKilled, String finishedAt, Duration ran, String error) {}

  private final ContainersConfig config;
  private final Time time;
  private final RandomGenerator random;
  private final Deque<End> ends = new ArrayDeque<>();
  private int inARow;
  private Duration lastWait = Duration.ZERO;
  private long due;
  private @Nullable String knownContainer;
  private long knownSince;
  private @Nullable String lastEnded;

  Restarts(ContainersConfig config, Time time, RandomGenerator random) {
    this.config = config;
    this.time = time;
    this.random = random;
    this.due = time.nanos();
  }

  /** Our start of it has been taken by the engine. */
  void started(String container) {
    knownContainer = container;
    knownSince = time.nanos();
  }

  /** It is seen running. */
  void running(Observed container) {
    if (!container.id().equals(knownContainer)) {
      started(container.id());
    } else if (inARow > 0 && time.since(knownSince).compareTo(config.healthyAfter()) >= 0) {
      inARow = 0;
    }
  }

  /**
   * It is seen stopped. A run is counted once, and only if it was seen or begun in our own life: a
   * container that lies stopped when we come was stopped with the last daemon or the last boot.
   *
   * @return whether this end is news
   */
  boolean ended(Observed container) {
    if (!container.id().equals(knownContainer) || container.run().equals(lastEnded)) {
      return false;
    }
    lastEnded = container.run();
    // By our own clock too, since the engine's is the wall clock, which can be set in between.
    Duration seen = time.since(knownSince);
    Duration ran = seen.compareTo(container.ran()) > 0 ? seen : container.ran();
    if (ran.compareTo(config.healthyAfter()) >= 0) {
      inARow = 0;
    }
    count(
        new End(
            container.exitCode(),
            container.oomKilled(),
            container.finishedAt(),
            container.ran(),
            container.error()));
    return true;
  }

  /** The engine refused to start it. */
  void failedToStart(String why) {
    count(new End(-1, false, time.instant().toString(), Duration.ZERO, why));
  }

  private void count(End end) {
    ends.addLast(end);
    if (ends.size() > REMEMBERED) {
      ends.removeFirst();
    }
    inARow++;
    lastWait = waitAfter(inARow);
    due = time.nanos() + lastWait.toNanos();
  }

  /** Jittered over the upper half of the bound, so that it never falls short of a real wait. */
  private Duration waitAfter(int endsInARow) {
    if (endsInARow <= 1) {
      return Duration.ZERO;
    }
    int doublings = Math.min(endsInARow - 2, 30);
    Duration doubled = config.restartFirst().multipliedBy(1L << doublings);
    Duration bound =
        doubled.compareTo(config.restartLongest()) < 0 ? doubled : config.restartLongest();
    long half = bound.toNanos() / 2;
    return Duration.ofNanos(bound.toNanos() - half + random.nextLong(half + 1));
  }

  /** How long until it may be started again; nothing or less when it may be now. */
  Duration untilDue() {
    return Duration.ofNanos(due - time.nanos());
  }

  /** The whole wait that began with the last end: the same for as long as it goes on. */
  Duration lastWait() {
    return lastWait;
  }

  boolean isLoop() {
    return inARow >= LOOP;
  }

  int inARow() {
    return inARow;
  }

  /** Why the engine could not start it, if that was the last that happened. */
  Optional<String> lastError() {
    return inARow == 0
        ? Optional.empty()
        : Optional.ofNullable(ends.peekLast()).map(End::error).filter(error -> !error.isEmpty());
  }

  /** The last ends, the newest last. */
  List<End> ends() {
    return List.copyOf(ends);
  }
}
