package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

/** Containers that are not ours and have a name or labels of ours, and Google's own. */
class ForeignContainersIT extends OnFakeEngine {

  @ParameterizedTest
  @ValueSource(strings = {NAME, NAME + "-next"})
  void foreignContainerWithAName_notTouchedAndNothingMade(String name) throws Exception {
    String foreign = engine.addForeign(name, true);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.INERT);
    assertThat(found.summary()).endsWith(name);
    assertThat(found.cause()).contains(foreign.substring(0, 12));
    assertThat(changes()).isEmpty();
  }

  @Test
  void foreignContainerWithTheNextName_oursRunsOnWhateverTheSpec() throws Exception {
    Finding before = bench.pass(vbar());
    String foreign = engine.addForeign(NAME + "-next", false);
    engine.forgetReceived();

    Finding same = bench.pass(vbar());
    Finding changed = bench.pass(vbar().command("--new"));

    assertThat(same.state()).isEqualTo(State.OK);
    assertThat(same.notes()).singleElement().asString().contains(foreign.substring(0, 12));
    assertThat(changed.state()).isEqualTo(State.DEGRADED);
    assertThat(changed.notes()).singleElement().asString().contains("cannot be replaced");
    assertThat(engine.runs((String) Bench.fact(before, "id"))).isTrue();
    assertThat(changes()).isEmpty();
  }

  @Test
  void foreignContainerTookTheName_oursWithTheNextNameRunsOn() throws Exception {
    bench.pass(vbar());
    engine.addCopy(NAME, NAME + "-next");
    engine.removeByForce(NAME);
    engine.addForeign(NAME, false);
    engine.forgetReceived();

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes()).singleElement().asString().contains("is called " + NAME);
    assertThat(changes()).isEmpty();
  }

  @Test
  void foreignContainerTookTheNameAndOursIsStopped_inert() throws Exception {
    bench.pass(vbar());
    engine.addCopy(NAME, NAME + "-next");
    engine.removeByForce(NAME);
    engine.exit(NAME + "-next", 0, false);
    engine.addForeign(NAME, true);
    engine.forgetReceived();

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.INERT);
    assertThat(changes()).isEmpty();
  }

  /** What {@code docker commit} and {@code docker run} make of our container. */
  @Test
  void foreignContainerWithOurLabels_notTouchedAndTold() throws Exception {
    Finding before = bench.pass(vbar());
    engine.addCopy(NAME, "users-own");
    engine.exit(NAME, 0, false);

    Finding after = bench.pass(vbar());

    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(Bench.fact(after, "id")).isEqualTo(Bench.fact(before, "id"));
    assertThat(after.notes()).anyMatch(note -> note.contains("users-own"));
    assertThat(engine.runs("users-own")).isTrue();
    bench.pass(vbar().disabled());
    assertThat(engine.names()).containsExactly("users-own");
    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();
    assertThat(engine.runs("users-own")).isTrue();
  }

  @Test
  void stockContainerRuns_notTouchedAndNoneBesideIt() throws Exception {
    engine.addForeign("vbarcontrolagent", true);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.INERT);
    assertThat(found.cause()).contains("the container vbarcontrolagent runs");
    assertThat(changes()).isEmpty();
  }

  @Test
  void stockContainerLiesStopped_oursIsStarted() throws Exception {
    engine.addForeign("vbarcontrolagent", false);

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.names()).containsExactly("vbarcontrolagent", NAME);
  }

  @Test
  void stockContainerRunsBesideOurs_oursIsKept() throws Exception {
    bench.pass(vbar());
    engine.addForeign("vbarcontrolagent", true);

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.runs(NAME)).isTrue();
  }
}
