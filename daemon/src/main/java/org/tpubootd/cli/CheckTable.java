package org.tpubootd.cli;

import java.util.List;
import org.tpubootd.image.Result;
import org.tpubootd.image.Severity;

/** Prints what checks have found: a row each, and under it what a person can do. */
final class CheckTable {

  private static final String ROW = "%-17s %s %s";
  private static final String UNDER = " ".repeat(27);

  private final Screen screen;

  CheckTable(Screen screen) {
    this.screen = screen;
  }

  /**
   * @param good what it is that was looked at, where there is no error: "a good TPU image"
   */
  void print(List<Result> results, String good) {
    screen.line(ROW.formatted("CHECK", "STATE   ", "FOUND"));
    results.forEach(this::print);
    screen.line("");
    var wrong = names(results, Severity.ERROR);
    screen.wrapped(
        "",
        wrong.isEmpty()
            ? "This is %s.".formatted(good)
            : "This is not %s: %s.".formatted(good, String.join(", ", wrong)),
        "");
    var doubtful = names(results, Severity.WARNING);
    if (!doubtful.isEmpty()) {
      screen.wrapped("", "Warnings: " + String.join(", ", doubtful) + ".", "");
    }
  }

  private static List<String> names(List<Result> results, Severity severity) {
    return results.stream()
        .filter(result -> result.severity() == severity)
        .map(Result::check)
        .distinct()
        .toList();
  }

  private void print(Result result) {
    String head = ROW.formatted(result.check(), screen.state(result.severity().word()), "");
    var found = Screen.wrap(result.found(), Screen.COLUMNS - UNDER.length());
    screen.line(head + found.getFirst());
    found.stream().skip(1).forEach(row -> screen.line(UNDER + row));
    String advice = result.advice();
    if (advice != null) {
      screen.wrapped("    do:    ", advice, "           ");
    }
    result.notes().forEach(note -> screen.wrapped("    note:  ", note, "           "));
  }
}
