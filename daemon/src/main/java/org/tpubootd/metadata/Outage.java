package org.tpubootd.metadata;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.core.Time;

/**
 * Tells the log once that the metadata server fails us, and once that it no longer does. One for
 * all watches, since they lose the same server: an outage begins with the first key that gets no
 * answer and ends when each has got one. A refusal is an answer, and about one key only: a key that
 * is refused for good must not hide the outages of the server. Thread-safe.
 */
final class Outage {

  private static final Logger log = LoggerFactory.getLogger(Outage.class);

  private final Time time;
  private final Set<String> failing = new HashSet<>();
  private final Set<String> refused = new HashSet<>();
  private long began;

  Outage(Time time) {
    this.time = time;
  }

  /** The server did not answer. */
  synchronized void failed(String key, String cause) {
    boolean first = failing.isEmpty();
    if (failing.add(key) && first) {
      began = time.nanos();
      log.warn("{}; it is asked again until it answers", cause);
    }
  }

  /** The server answered, but with no value. */
  synchronized void refused(String key, String cause) {
    back(key);
    if (refused.add(key)) {
      log.warn("{}; it is asked again", cause);
    }
  }

  /** The server gave a value, or said that there is none. */
  synchronized void answered(String key) {
    back(key);
    if (refused.remove(key)) {
      log.info("the metadata server no longer refuses {}", key);
    }
  }

  private void back(String key) {
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
