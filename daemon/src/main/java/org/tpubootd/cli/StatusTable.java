package org.tpubootd.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.tpubootd.health.StatusDocument;
import org.tpubootd.health.StatusDocument.PartStatus;

/** Prints how every part is: a row each, and under it what a person should know of it. */
final class StatusTable {

  private static final String ROW = "%-22s %s %-5s %s";
  private static final String UNDER = " ".repeat(38);

  private final Screen screen;
  private final Instant now;

  StatusTable(Screen screen, Instant now) {
    this.screen = screen;
    this.now = now;
  }

  void print(StatusDocument status) {
    print(status, "Ready.");
  }

  /**
   * @param verdict the last line where nothing holds the host up
   */
  void print(StatusDocument status, String verdict) {
    screen.line(ROW.formatted("PART", "STATE   ", "SINCE", "SUMMARY"));
    status.parts().forEach(this::print);
    if (!status.parts().stream().allMatch(PartStatus::required)) {
      screen.line("* does not keep the host from being ready");
    }
    screen.line("");
    var holdingUp =
        status.parts().stream().filter(PartStatus::holdsUpReady).map(PartStatus::name).toList();
    screen.line(holdingUp.isEmpty() ? verdict : "Not ready: " + String.join(", ", holdingUp) + ".");
    if (!status.stuck().isEmpty()) {
      screen.line("Stuck: " + String.join(", ", status.stuck()) + ".");
    }
  }

  private void print(PartStatus part) {
    String name = part.required() ? part.name() : part.name() + " *";
    String head = ROW.formatted(name, screen.state(part.state()), age(part.since()), "");
    var summary = Screen.wrap(part.summary(), Screen.COLUMNS - UNDER.length());
    screen.line((head + summary.getFirst()).stripTrailing());
    summary.stream().skip(1).forEach(row -> screen.line(UNDER + row));
    if (part.cause() != null) {
      screen.wrapped("    cause: ", part.cause(), "           ");
    }
    if (part.action() != null) {
      screen.wrapped("    do:    ", part.action(), "           ");
    }
    part.notes().forEach(note -> screen.wrapped("    note:  ", note, "           "));
  }

  private String age(String since) {
    try {
      return age(Duration.between(Instant.parse(since), now));
    } catch (DateTimeException _) {
      // A daemon of another version may write times in another way; the rest can still be told.
      return "?";
    }
  }

  /** In one unit, as people say it: 42s, 5m, 3h, 9d. */
  static String age(Duration age) {
    long seconds = Math.max(0, age.toSeconds());
    if (seconds < 100) {
      return seconds + "s";
    }
    if (seconds < 100 * 60) {
      return seconds / 60 + "m";
    }
    return seconds < 100 * 3600 ? seconds / 3600 + "h" : seconds / 86400 + "d";
  }
}
