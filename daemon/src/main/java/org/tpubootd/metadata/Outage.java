package org.tpubootd.metadata;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.core.Time;

/**
 * Tells the log once that the metadata server fails us, and once that it no longer does. One for
 * all watches, since they lose the same server: an outage begins with the first key that fails and
 * ends when none does. Thread-safe.
 */
final class Outage {

  private static final Logger log = LoggerFactory.getLogger(Outage.class);

  private final Time time;
  private final Set<String> failing = new HashSet<>();
  private long began;

  Outage(Time time) {
    this.time = time;
  }

  synchronized void failed(String key, String cause) {
    boolean first = failing.isEmpty();
    if (failing.add(key) && first) {
      began = time.nanos();
      log.warn("{}; it is asked again until it answers", cause);
    }
  }

  synchronized void answered(String key) {
    if (failing.remove(key) && failing.isEmpty()) {
      log.info("the metadata server answers again after {}", words(time.since(began)));
    }
  }

  private static String words(Duration duration) {
    if (duration.toMinutes() == 0) {
      return "%d.%d s".formatted(duration.toSeconds(), duration.toMillisPart() / 100);
    }
    String hours = duration.toHours() == 0 ? "" : duration.toHours() + " h ";
    return "%s%d min %d s".formatted(hours, duration.toMinutesPart(), duration.toSecondsPart());
  }
}
