package org.tpubootd.health;

import java.util.List;
import org.tpubootd.core.Board;
import org.tpubootd.core.Condition;

/** {@code /readyz}: whether the host is ready; with {@code ?verbose} a line for each part. */
final class ReadyzPage implements Page {

  private final Board board;

  ReadyzPage(Board board) {
    this.board = board;
  }

  @Override
  public Answer answer(Question question) {
    // One snapshot for code and text, so that they never contradict each other.
    List<Condition> conditions = board.conditions();
    List<String> missing =
        conditions.stream()
            .filter(Condition::holdsUpReady)
            .map(condition -> condition.part().name())
            .toList();
    var text = new StringBuilder();
    if (question.verbose()) {
      conditions.forEach(condition -> text.append(line(condition)).append('\n'));
    }
    if (missing.isEmpty()) {
      return Answer.text(Answer.OK, text.append("ready\n").toString());
    }
    text.append("not ready: ").append(String.join(", ", missing)).append('\n');
    return Answer.text(Answer.UNAVAILABLE, text.toString());
  }

  /** As Kubernetes has it: {@code [+] devices ok: 4 of 4 chips bound}. */
  private static String line(Condition condition) {
    boolean good = condition.state().allowsReady();
    return "%s %s %s%s: %s%s"
        .formatted(
            good ? "[+]" : "[-]",
            condition.part().name(),
            condition.state().word(),
            good || condition.part().required() ? "" : " (not required)",
            condition.finding().summary(),
            condition.finding().causeIfAny().map(cause -> ": " + cause).orElse(""))
        .replaceAll("\\R+", " ");
  }
}
