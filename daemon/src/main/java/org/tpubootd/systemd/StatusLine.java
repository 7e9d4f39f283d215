package org.tpubootd.systemd;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.tpubootd.core.Condition;
import org.tpubootd.core.Part;
import org.tpubootd.core.State;

/**
 * The one line that {@code systemctl status} shows: "ready", or what it is waiting for. What is
 * known to be wrong comes before what is only waited for.
 */
final class StatusLine {

  /** What fits beside the word "Status:" on two lines of a terminal, and is quick to read. */
  static final int LONGEST_BYTES = 200;

  private StatusLine() {}

  static String of(List<Condition> conditions, List<String> stuck) {
    return cut(oneLine(text(conditions, stuck)));
  }

  private static String text(List<Condition> conditions, List<String> stuck) {
    if (!stuck.isEmpty()) {
      return "stuck: " + String.join(", ", stuck) + "; the watchdog is no longer fed";
    }
    List<Condition> missing = conditions.stream().filter(Condition::holdsUpReady).toList();
    if (!missing.isEmpty()) {
      var clauses = new ArrayList<String>();
      missing.stream().filter(isWaiting().negate()).map(StatusLine::broken).forEach(clauses::add);
      String waited =
          missing.stream()
              .filter(isWaiting())
              .map(condition -> condition.part().name() + ": " + condition.finding().summary())
              .collect(Collectors.joining("; "));
      if (!waited.isEmpty()) {
        clauses.add("waiting for " + waited);
      }
      return String.join("; ", clauses);
    }
    List<Condition> ours =
        conditions.stream()
            .filter(condition -> condition.part().group() != Part.Group.SELF)
            .toList();
    if (!ours.isEmpty() && ours.stream().allMatch(condition -> condition.state() == State.INERT)) {
      return "inert: " + ours.getFirst().finding().summary();
    }
    String blemishes =
        conditions.stream()
            .filter(condition -> !condition.state().allowsReady())
            .map(StatusLine::broken)
            .collect(Collectors.joining("; "));
    return blemishes.isEmpty() ? "ready" : "ready, but " + blemishes;
  }

  private static Predicate<Condition> isWaiting() {
    return condition -> condition.state() == State.WAITING;
  }

  private static String broken(Condition condition) {
    return "%s %s: %s"
        .formatted(
            condition.part().name(), condition.state().word(), condition.finding().summary());
  }

  /** A newline would begin another assignment of the protocol. */
  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }

  private static String cut(String text) {
    if (bytes(text) <= LONGEST_BYTES) {
      return text;
    }
    String mark = "…";
    int room = LONGEST_BYTES - bytes(mark);
    int end = 0;
    while (end < text.length()) {
      int next = text.offsetByCodePoints(end, 1);
      room -= bytes(text.substring(end, next));
      if (room < 0) {
        break;
      }
      end = next;
    }
    return text.substring(0, end) + mark;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
