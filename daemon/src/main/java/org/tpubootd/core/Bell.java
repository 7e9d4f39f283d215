package org.tpubootd.core;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes one waiting loop. Ringing twice before it is heard is ringing once. Thread-safe. */
public final class Bell {

  private final Semaphore rung = new Semaphore(0);

  /** Wakes the waiter, or lets its next wait end at once. */
  public void ring() {
    rung.release();
  }

  /**
   * Waits for a ring.
   *
   * @return whether it rang; false when the time ran out
   */
  boolean await(Duration atMost) throws InterruptedException {
    boolean heard = rung.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
    rung.drainPermits();
    return heard;
  }

  /**
   * Whether it has rung since the last wait; takes the ring. For clocks that do not really wait.
   */
  boolean hasRung() {
    return rung.drainPermits() > 0;
  }
}
