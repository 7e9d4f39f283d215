package org.tpubootd.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tpubootd.OneShot;
import org.tpubootd.config.ConfigException;
import org.tpubootd.core.Board;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Plan;
import org.tpubootd.core.Step;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows what a pass would do, without doing it. */
@Command(
    name = "plan",
    description = {
      "Show what one pass would change, and why, without doing it.",
      "Exit code 0: all parts named are ok, or can be made so. 1: not all."
    })
final class PlanCommand implements Callable<Integer> {

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Parameters(paramLabel = "PART", description = "Parts, such as tpu-env or devices.")
  private List<String> names = List.of();

  /** For machines: what one part is now and what would be done. */
  record PartPlan(
      String part,
      String state,
      String summary,
      @Nullable String cause,
      @Nullable String action,
      List<String> notes,
      List<Step> steps) {}

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    var surroundings = common.surroundings();
    var config = common.configLoader().load().config();
    var board = new Board(surroundings.time());
    var plans = new ArrayList<PartPlan>();
    boolean all = true;
    try (var once = new OneShot(surroundings, config, board, names)) {
      for (Component component : once.components()) {
        Plan plan = plan(component);
        Finding now = plan.now();
        all &= !plan.steps().isEmpty() || now.state().allowsReady();
        // What comes after this part counts on its being right then.
        once.post(component, plan.steps().isEmpty() ? now : Finding.ok("as planned"));
        plans.add(
            new PartPlan(
                component.part().name(),
                now.state().word(),
                now.summary(),
                now.cause(),
                now.action(),
                now.notes(),
                plan.steps()));
      }
    }
    Screen screen = output.screen();
    if (output.json()) {
      screen.json(plans);
    } else {
      plans.forEach(plan -> print(screen, plan));
    }
    return all ? ExitCode.OK : ExitCode.NOT_SO;
  }

  static Plan plan(Component component) throws InterruptedException {
    try {
      return component.plan();
    } catch (IOException | RuntimeException e) {
      return Plan.nothingToDo(
          Finding.failed("no plan could be made", String.valueOf(e.getMessage()), "see the cause"));
    }
  }

  private static void print(Screen screen, PartPlan plan) {
    screen.wrapped("", "%s: %s: %s".formatted(plan.part(), plan.state(), plan.summary()), "    ");
    if (plan.cause() != null) {
      screen.wrapped("    cause: ", plan.cause(), "           ");
    }
    if (plan.action() != null) {
      screen.wrapped("    do:    ", plan.action(), "           ");
    }
    plan.notes().forEach(note -> screen.wrapped("    note:  ", note, "           "));
    for (Step step : plan.steps()) {
      screen.wrapped("  + ", step.what(), "    ");
      screen.wrapped("    because ", step.why(), "            ");
    }
    if (plan.steps().isEmpty()) {
      screen.line(
          switch (plan.state()) {
            case "ok", "inert" -> "  nothing to do";
            default -> "  nothing can be planned until then";
          });
    }
  }
}
