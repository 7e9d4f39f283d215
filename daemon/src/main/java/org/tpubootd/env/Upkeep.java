package org.tpubootd.env;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Plan;
import org.tpubootd.core.Step;

/** Brings files to what they should be: the plan for it, and what came of it. */
final class Upkeep {

  /** A file, and what it should be. */
  record Target(SafeFile file, Wanted wanted) {}

  private final List<Target> targets;
  private final List<Step> steps = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  private Upkeep(List<Target> targets) {
    this.targets = targets;
  }

  /**
   * Compares all files.
   *
   * @param right the finding when every file is as it should be
   */
  static Plan plan(List<Target> targets, Finding right) throws InterruptedException {
    var upkeep = new Upkeep(targets);
    upkeep.look();
    if (upkeep.failures.isEmpty() && upkeep.steps.isEmpty()) {
      return Plan.nothingToDo(right);
    }
    return new Plan(upkeep.now(right), upkeep.steps, _ -> upkeep.work(right));
  }

  private void look() throws InterruptedException {
    for (Target target : targets) {
      attempt(() ->
          target
              .file()
              .difference(target.wanted())
              .ifPresent(why -> steps.add(new Step("write " + target.file().path(), why))));
    }
  }

  private Finding now(Finding right) {
    if (!failures.isEmpty()) {
      return failed(right);
    }
    String first = steps.getFirst().what().replaceFirst("^write ", "");
    return Finding.waiting(first + " is to be written", first + ": " + steps.getFirst().why(), null)
        .withNotes(right.notes())
        .withFacts(right.facts());
  }

  /** One file that cannot be written keeps no other from being written. */
  private Finding work(Finding right) throws InterruptedException {
    failures.clear();
    steps.clear();
    for (Target target : targets) {
      attempt(() -> target.file().write(target.wanted()));
    }
    if (!failures.isEmpty()) {
      return failed(right);
    }
    look();
    return failures.isEmpty() && steps.isEmpty() ? right : now(right);
  }

  private Finding failed(Finding right) {
    return Finding.failed(
            failures.size() == 1 ? "a file cannot be kept" : "files cannot be kept",
            String.join("; ", failures),
            "put right what the cause names; it is tried again")
        .withNotes(right.notes())
        .withFacts(right.facts());
  }

  /** Something done to one file. */
  private interface Attempt {
    void run() throws IOException, InterruptedException;
  }

  private void attempt(Attempt attempt) throws InterruptedException {
    try {
      attempt.run();
    } catch (IOException e) {
      failures.add(Optional.ofNullable(e.getMessage()).orElse(e.toString()));
    }
  }
}
