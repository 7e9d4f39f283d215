package org.tpubootd.container;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;

/** Times as people read them. */
final class Times {

  private Times() {}

  /** Rounded up: what is not over is not nothing. */
  static long wholeSeconds(Duration wait) {
    return wait.plusNanos(999_999_999).toSeconds();
  }

  /** The engine writes nanoseconds, which nobody reads; what is no time is left as it is. */
  static String wholeSeconds(String time) {
    try {
      return Instant.parse(time).truncatedTo(ChronoUnit.SECONDS).toString();
    } catch (DateTimeParseException _) {
      return time;
    }
  }
}
