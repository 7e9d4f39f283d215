package org.tpubootd.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A clock that only moves when somebody waits, and remembers how long the waits were. */
public final class FakeTime implements Time {

  private Instant now = Instant.parse("2026-11-30T08:00:00Z");
  private long nanos = 0;
  private final List<Duration> waits = new ArrayList<>();

  @Override
  public synchronized Instant instant() {
    return now;
  }

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    waited(duration);
  }

  @Override
  public boolean await(Bell bell, Duration atMost) throws InterruptedException {
    if (bell.hasRung()) {
      waited(Duration.ZERO);
      return true;
    }
    sleep(atMost);
    return false;
  }

  private synchronized void waited(Duration duration) {
    advance(duration);
    waits.add(duration);
  }

  /** Moves both clocks. */
  public synchronized void advance(Duration duration) {
    now = now.plus(duration);
    nanos += duration.toNanos();
  }

  /** Moves the wall clock only, as somebody who sets it does. */
  public synchronized void stepWallClock(Duration duration) {
    now = now.plus(duration);
  }

  public synchronized List<Duration> waits() {
    return List.copyOf(waits);
  }
}
