package org.tpubootd.systemd;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

/** What systemd's environment says of the watchdog, by sd_watchdog_enabled(3). */
final class Watchdog {

  private Watchdog() {}

  /**
   * How often it is to be fed: twice within its time.
   *
   * @param pid our own; WATCHDOG_PID names whom it is for, and is inherited by children
   * @return empty where there is no watchdog, or it is for another process
   */
  static Optional<Duration> feedEvery(Map<String, String> environment, long pid) {
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    String whom = environment.getOrDefault("WATCHDOG_PID", Long.toString(pid));
    if (!micros.matches("[0-9]{1,18}") || !whom.equals(Long.toString(pid))) {
      return Optional.empty();
    }
    Duration limit = Duration.of(Long.parseLong(micros), ChronoUnit.MICROS);
    return limit.isZero() ? Optional.empty() : Optional.of(limit.dividedBy(2));
  }
}
