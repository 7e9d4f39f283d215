package org.tpubootd.container;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes concurrent pulls of one image one: whoever comes second waits, and has to do nothing if the
 * first has got it. That an image is there does not tell that: it may be the old one. Thread-safe.
 */
final class OnePull {

  private final ReentrantLock turn = new ReentrantLock();
  private final AtomicLong done = new AtomicLong();

  /** How many pulls have ended well, to be asked before one waits for a turn. */
  long done() {
    return done.get();
  }

  boolean tryBegin() {
    return turn.tryLock();
  }

  boolean tryBegin(Duration atMost) throws InterruptedException {
    return turn.tryLock(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  void endedWell() {
    done.incrementAndGet();
  }

  /** Lets the next one in; by the thread that began. */
  void end() {
    turn.unlock();
  }
}
