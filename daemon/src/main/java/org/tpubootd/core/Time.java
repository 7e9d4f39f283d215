package org.tpubootd.core;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Time as the program sees it, handed in everywhere so that tests own it. Durations are taken from
 * {@link #nanos}, which a step of the wall clock does not touch; {@link #instant} is for people.
 */
public interface Time extends InstantSource {

  /** Monotonic nanoseconds from an arbitrary start. */
  long nanos();

  void sleep(Duration duration) throws InterruptedException;

  /** Waits for the bell at most so long; true when it rang. */
  boolean await(Bell bell, Duration atMost) throws InterruptedException;

  /** How long ago {@link #nanos} gave {@code earlier}. */
  default Duration since(long earlier) {
    return Duration.ofNanos(nanos() - earlier);
  }

  /** The machine's own clock. */
  static Time system() {
    return new Time() {
      @Override
      public Instant instant() {
        return Instant.now();
      }

      @Override
      public long nanos() {
        return System.nanoTime();
      }

      @Override
      public void sleep(Duration duration) throws InterruptedException {
        Thread.sleep(duration);
      }

      @Override
      public boolean await(Bell bell, Duration atMost) throws InterruptedException {
        return bell.await(atMost);
      }
    };
  }
}
