package org.tpubootd.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {

  @Test
  void nothingToDo_hasNoStepsAndFindsWhatIsSo() throws Exception {
    Finding now = Finding.ok("as it should be");
    Plan plan = Plan.nothingToDo(now);
    assertThat(plan.steps()).isEmpty();
    assertThat(plan.carryOut(_ -> {})).isSameAs(now);
  }

  @Test
  void carryOut_givesWhatWasSeenAfterTheWork() throws Exception {
    var progress = new ArrayList<Finding>();
    var half = Finding.waiting("half", "way", null);
    var plan =
        new Plan(
            Finding.failed("missing", "never made", "nothing"),
            List.of(new Step("make it", "it is missing")),
            shown -> {
              shown.accept(half);
              return Finding.ok("made");
            });
    assertThat(plan.carryOut(progress::add).state()).isEqualTo(State.OK);
    assertThat(progress).containsExactly(half);
  }

  @Test
  void steps_areACopy() {
    var steps = new ArrayList<>(List.of(new Step("make it", "it is missing")));
    var plan = new Plan(Finding.ok("x"), steps, _ -> Finding.ok("x"));
    steps.clear();
    assertThat(plan.steps()).hasSize(1);
  }
}
