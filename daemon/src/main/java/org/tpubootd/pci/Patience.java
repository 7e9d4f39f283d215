package org.tpubootd.pci;

import java.io.IOException;
import java.time.Duration;
import org.tpubootd.core.Time;

/**
 * Waits for what the kernel and udev do after a write has come back: the driver's link follows at
 * once or never, the node when devtmpfs gets to it. There is no event to wait for that both have in
 * common, so it looks again at short intervals.
 */
final class Patience {

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

  private final Time time;
  private final Duration limit;

  Patience(Time time, Duration limit) {
    this.time = time;
    this.limit = limit;
  }

  /** Something to look at again and again. */
  @FunctionalInterface
  interface Look {
    boolean holds() throws IOException;
  }

  /** Looks at once, then again until it holds or the limit is over; whether it holds. */
  boolean until(Look look) throws IOException, InterruptedException {
    long start = time.nanos();
    while (!look.holds()) {
      if (time.since(start).compareTo(limit) >= 0) {
        return false;
      }
      time.sleep(BETWEEN_LOOKS);
    }
    return true;
  }

  Duration limit() {
    return limit;
  }
}
