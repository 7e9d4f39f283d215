package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tpubootd.container.Orphans;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.State;

/** What becomes of containers whose part was taken out of the configuration. */
class OrphansIT extends OnFakeEngine {

  @BeforeEach
  void fill() throws Exception {
    bench.pass(vbar());
    bench.pass(vbar().name("taken-out").image("p/extra:1"));
    bench.pass(vbar().name("taken-out-too").image("p/extra:1"));
    engine.exit("tpu-bootd-taken-out-too", 0, false);
    engine.addForeign("somebody", true);
  }

  @Test
  void pass_removesThemAndNothingElse() throws Exception {
    var found = ControlLoop.look(new Orphans(bench.engine, bench.limits, bench.states), _ -> {});

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(engine.names()).containsExactly("tpu-bootd-vbar", "somebody");
    assertThat(engine.runs("tpu-bootd-vbar")).isTrue();
  }

  @Test
  void pass_moreThanAHandful_saysHowManyAreLeft() throws Exception {
    for (int i = 0; i < 9; i++) {
      bench.pass(vbar().name("taken-out-" + i).image("p/extra:1"));
    }
    var orphans = new Orphans(bench.engine, bench.limits, bench.states);

    var first = ControlLoop.look(orphans, _ -> {});
    var second = ControlLoop.look(orphans, _ -> {});

    assertThat(first.state()).isEqualTo(State.DEGRADED);
    assertThat(first.summary())
        .isEqualTo("1 container of tpu-bootd is in the configuration no more");
    assertThat(second.state()).isEqualTo(State.OK);
    assertThat(engine.names()).containsExactly("tpu-bootd-vbar", "somebody");
  }

  @Test
  void plan_namesThemAndRemovesNothing() throws Exception {
    var plan = new Orphans(bench.engine, bench.limits, bench.states).plan();

    assertThat(plan.steps())
        .extracting(step -> step.why())
        .containsExactly(
            "its part taken-out is in the configuration no more",
            "its part taken-out-too is in the configuration no more");
    assertThat(engine.names()).hasSize(4);
  }

  @Test
  void pass_forgetsThemAndNoConfiguredOne() throws Exception {
    assertThat(bench.states.texts).containsOnlyKeys("vbar", "taken-out", "taken-out-too");
    bench.states.texts.put("taken-out-long-ago", "{}");

    ControlLoop.look(new Orphans(bench.engine, bench.limits, bench.states), _ -> {});

    assertThat(bench.states.texts).containsOnlyKeys("vbar");
  }

  @Test
  void onlyAMemoryIsLeft_plannedAndForgotten() throws Exception {
    engine.removeByForce("tpu-bootd-taken-out");
    engine.removeByForce("tpu-bootd-taken-out-too");
    bench.states.texts.remove("taken-out");
    var plan = new Orphans(bench.engine, bench.limits, bench.states).plan();

    assertThat(plan.steps())
        .extracting(step -> step.what())
        .containsExactly("forget how the container of taken-out-too ended");
    assertThat(bench.states.texts).containsKey("taken-out-too");

    plan.carryOut(_ -> {});

    assertThat(bench.states.texts).containsOnlyKeys("vbar");
  }

  @Test
  void containerCannotBeRemoved_itsMemoryStays() throws Exception {
    engine.faults().fail("/stop", 500, "as the test wants it");

    ControlLoop.look(new Orphans(bench.engine, bench.limits, bench.states), _ -> {});

    assertThat(bench.states.texts).containsKeys("vbar", "taken-out", "taken-out-too");
  }

  @Test
  void engineAway_waited() throws Exception {
    engine.goAway();

    var found = ControlLoop.look(new Orphans(bench.engine, bench.limits, bench.states), _ -> {});

    assertThat(found.state()).isEqualTo(State.WAITING);
    assertThat(bench.states.texts).as("what is kept").hasSize(3);
  }
}
