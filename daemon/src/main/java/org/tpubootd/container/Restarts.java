package org.tpubootd.container;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
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
   * @param engineWent whether the engine went since the run was last seen, so that the end may be
   *     its doing
   * @param error why a start failed; empty where the run ended by itself
   */
  record End(
      long exitCode,
      boolean oomKilled,
      String finishedAt,
      Duration ran,
      boolean engineWent,
      String error) {}

  /**
   * What is kept over a restart of tpu-bootd.
   *
   * @param lastEnded the run whose end was counted last
   * @param waits how long it has to wait in all, from {@code since} on
   * @param since by the wall clock, which somebody may set
   */
  record Snapshot(
      int inARow, @Nullable String lastEnded, Duration waits, Instant since, List<End> ends) {
    Snapshot {
      ends = List.copyOf(ends);
    }
  }

  private final ContainersConfig config;
  private final IntSupplier engineLosses;
  private final Time time;
  private final RandomGenerator random;
  private final Deque<End> ends = new ArrayDeque<>();
  private int inARow;
  private long due;
  private Duration waits = Duration.ZERO;
  private Instant waitsSince;
  private @Nullable Known known;
  private @Nullable String lastEnded;

  /**
   * How long the run took that ended last; null where that was in the life of another tpu-bootd.
   */
  private @Nullable Duration lastRan;

  /**
   * The run that we have begun or have seen.
   *
   * @param run null from our start of the container on until that run is seen
   * @param since by our own clock
   * @param engineLosses how often the engine had gone when the run was last seen
   */
  private record Known(
      String container, @Nullable String run, boolean begunByUs, long since, int engineLosses) {

    boolean is(Observed container) {
      return container.id().equals(this.container) && (run == null || run.equals(container.run()));
    }

    Known seen(String run, int engineLosses) {
      return new Known(container, run, begunByUs, since, engineLosses);
    }
  }

  /**
   * @param engineLosses grows whenever the engine is seen to go
   */
  Restarts(ContainersConfig config, IntSupplier engineLosses, Time time, RandomGenerator random) {
    this.config = config;
    this.engineLosses = engineLosses;
    this.time = time;
    this.random = random;
    this.due = time.nanos();
    this.waitsSince = time.instant();
  }

  Snapshot snapshot() {
    return new Snapshot(inARow, lastEnded, waits, waitsSince, ends());
  }

  /**
   * Goes on where the last tpu-bootd ended. Between the two only the wall clock tells how much of a
   * wait is over; if it was set back meanwhile, the wait begins anew, and is never longer than it
   * was.
   */
  void resume(Snapshot snapshot) {
    inARow = snapshot.inARow();
    lastEnded = snapshot.lastEnded();
    waits =
        snapshot.waits().compareTo(config.restartLongest()) < 0
            ? snapshot.waits()
            : config.restartLongest();
    waitsSince = snapshot.since();
    Duration over = Duration.between(waitsSince, time.instant());
    Duration left =
        over.isNegative() ? waits : over.compareTo(waits) < 0 ? waits.minus(over) : Duration.ZERO;
    due = time.nanos() + left.toNanos();
    ends.clear();
    ends.addAll(snapshot.ends());
  }

  /** Our start of it has been taken by the engine. */
  void started(String container) {
    known = new Known(container, null, true, time.nanos(), engineLosses.getAsInt());
  }

  /** It is seen running. */
  void running(Observed container) {
    Known before = known;
    if (before == null || !before.is(container)) {
      known =
          new Known(container.id(), container.run(), false, time.nanos(), engineLosses.getAsInt());
      return;
    }
    if (inARow > 0 && time.since(before.since()).compareTo(config.healthyAfter()) >= 0) {
      inARow = 0;
    }
    known = before.seen(container.run(), engineLosses.getAsInt());
  }

  /**
   * It is seen stopped. A run is counted once, and only if it was seen or begun in our own life: a
   * container that lies stopped when we come was stopped with the last daemon or the last boot.
   *
   * @return whether this end is news
   */
  boolean ended(Observed container) {
    Known before = known;
    if (before == null
        || !container.id().equals(before.container())
        || container.run().equals(lastEnded)) {
      return false;
    }
    lastEnded = container.run();
    lastRan = ran(container, before);
    if (lastRan.compareTo(config.healthyAfter()) >= 0) {
      inARow = 0;
    }
    count(
        new End(
            container.exitCode(),
            container.oomKilled(),
            container.finishedAt(),
            container.ran(),
            engineLosses.getAsInt() != before.engineLosses(),
            container.error()));
    return true;
  }

  /**
   * By our own clock where we have begun it, since the engine's is the wall clock, which can be set
   * in between. Of one that ran before we came, or that somebody else has begun, the engine alone
   * knows the beginning.
   */
  private Duration ran(Observed ended, Known before) {
    if (!before.is(ended)) {
      return ended.ran();
    }
    Duration seen = time.since(before.since());
    return before.begunByUs() || seen.compareTo(ended.ran()) > 0 ? seen : ended.ran();
  }

  /**
   * Whether the run that was counted last is its last one, took less than this, and ended while the
   * engine was there.
   */
  boolean endedByItselfWithin(Observed container, Duration length) {
    Duration ran = lastRan == null ? container.ran() : lastRan;
    return isLastEnd(container) && ran.compareTo(length) < 0 && !engineWent();
  }

  private boolean engineWent() {
    return ends.reversed().stream()
        .filter(end -> end.error().isEmpty())
        .findFirst()
        .map(End::engineWent)
        .orElse(false);
  }

  /** Whether the end of its last run is the one that was counted last. */
  boolean isLastEnd(Observed container) {
    return container.run().equals(lastEnded);
  }

  /** The engine refused to start it. */
  void failedToStart(String why) {
    count(new End(-1, false, time.instant().toString(), Duration.ZERO, false, why));
  }

  private void count(End end) {
    ends.addLast(end);
    if (ends.size() > REMEMBERED) {
      ends.removeFirst();
    }
    inARow++;
    waits = waitAfter(inARow).truncatedTo(ChronoUnit.MILLIS);
    waitsSince = time.instant();
    due = time.nanos() + waits.toNanos();
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

  /** How long ago the container that runs was started, or was first seen running by us. */
  Duration runningFor() {
    return known == null ? Duration.ZERO : time.since(known.since());
  }

  /** How long until it may be started again; nothing or less when it may be now. */
  Duration untilDue() {
    return Duration.ofNanos(due - time.nanos());
  }

  /** The whole wait that began with the last end: the same for as long as it goes on. */
  Duration lastWait() {
    return waits;
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

  /** How the last run ended, as a sentence. */
  String lastEnd() {
    if (ends.isEmpty()) {
      return "it ended";
    }
    End end = ends.getLast();
    if (!end.error().isEmpty()) {
      return "the engine could not start it: " + end.error();
    }
    return "it ended with exit code %d%s at %s after a run of %d s%s"
        .formatted(
            end.exitCode(),
            end.oomKilled()
                ? " (killed because its memory ran out)"
                : end.exitCode() > 128 ? " (signal " + (end.exitCode() - 128) + ")" : "",
            Times.wholeSeconds(end.finishedAt()),
            end.ran().toSeconds(),
            end.engineWent() ? ", while the engine went away" : "");
  }

  /** The last ends, the newest last. */
  List<End> ends() {
    return List.copyOf(ends);
  }
}
