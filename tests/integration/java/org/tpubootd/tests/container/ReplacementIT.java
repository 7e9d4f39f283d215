package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

/** A container whose configuration asks for another specification by now. */
class ReplacementIT extends OnFakeEngine {

  @Test
  void pausedWithAnOldSpec_replacedWhenItRunsAgain() throws Exception {
    bench.pass(vbar());
    var changed = bench.supervise(vbar().command("--new"));
    engine.setStatus(NAME, "paused");
    engine.forgetReceived();

    Finding found = bench.pass(changed);

    assertThat(found.summary()).isEqualTo("is paused, with an old specification");
    assertThat(found.action()).contains("docker unpause " + NAME);
    assertThat(changes()).isEmpty();
    engine.setStatus(NAME, "running");

    assertThat(bench.pass(changed).state()).isEqualTo(State.OK);
    assertThat(engine.runs(NAME + "-next")).isTrue();
  }

  @Test
  void otherSpec_newImageThereBeforeTheOldOneStops() throws Exception {
    Finding before = bench.pass(vbar());
    engine.forgetReceived();
    var changed = bench.supervise(vbar().image("gcr.io/p/vbar:2"));

    Finding onTrial = bench.pass(changed);

    assertThat(onTrial.state()).isEqualTo(State.OK);
    assertThat(onTrial.summary()).contains("its predecessor", "is kept until it has run for 10 s");
    assertThat(changed.interval()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
    assertThat(changes())
        .containsExactly(
            "POST /images/create", "POST /containers/create", "POST stop", "POST start");
    assertThat(engine.names()).containsExactly(NAME, NAME + "-next");
    engine.forgetReceived();
    bench.time.forward(Duration.ofSeconds(10));

    Finding after = bench.pass(changed);

    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(changes()).containsExactly("DELETE container", "POST rename");
    assertThat(Bench.fact(after, "id")).isNotEqualTo(Bench.fact(before, "id"));
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void otherSpecAndItsImageCannotBeHad_oldOneRunsOn() throws Exception {
    bench.pass(vbar());
    engine.faults().failPulls("manifest for gcr.io/p/vbar:2 not found: manifest unknown");

    Finding found = bench.pass(vbar().image("gcr.io/p/vbar:2"));

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.cause()).contains("manifest unknown");
    assertThat(found.action()).contains("name and tag");
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void otherSpecThatTheEngineDoesNotTake_oldOneRunsOn() throws Exception {
    bench.pass(vbar());
    engine.faults().fail("/containers/create", 400, "invalid network mode");
    engine.forgetReceived();

    var changed = bench.supervise(vbar().command("--new"));
    assertThat(bench.pass(changed).cause()).contains("invalid network mode");

    Finding found = bench.pass(changed);
    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.cause()).contains("invalid network mode");
    assertThat(engine.runs(NAME)).isTrue();
    assertThat(engine.received("POST", "/stop")).isEmpty();
  }

  @Test
  void stoppedOneOfAnOlderSpec_goesOnlyWhenTheNewOneHasRun() throws Exception {
    bench.pass(vbar());
    engine.exit(NAME, 0, false);
    engine.forgetReceived();
    var changed = bench.supervise(vbar().command("--new"));

    assertThat(bench.pass(changed).state()).isEqualTo(State.OK);
    assertThat(changes()).containsExactly("POST /containers/create", "POST start");
    bench.time.forward(Duration.ofSeconds(10));
    bench.pass(changed);

    assertThat(changes())
        .containsExactly(
            "POST /containers/create", "POST start", "DELETE container", "POST rename");
    assertThat(engine.names()).containsExactly(NAME);
  }

  @Test
  void replacementCutOff_goesOnInTheNextPass() throws Exception {
    bench.pass(vbar());
    engine.faults().drop("/stop");
    assertThat(bench.pass(vbar().command("--new")).state()).isEqualTo(State.WAITING);
    assertThat(engine.names()).containsExactly(NAME, NAME + "-next");
    engine.faults().clear();

    var changed = bench.supervise(vbar().command("--new"));
    assertThat(bench.pass(changed).state()).isEqualTo(State.OK);
    bench.time.forward(Duration.ofSeconds(10));
    bench.pass(changed);
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.askedFor(NAME).path("Cmd").toString()).isEqualTo("[\"--new\"]");
  }

  @Test
  void replacementCutOffBeforeTheRename_onlyTheNameIsGiven() throws Exception {
    bench.pass(vbar());
    engine.faults().drop("/rename");
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    bench.time.forward(Duration.ofSeconds(10));
    bench.pass(changed);
    assertThat(engine.names()).containsExactly(NAME + "-next");
    engine.faults().clear();
    engine.forgetReceived();

    assertThat(bench.pass(vbar().command("--new")).state()).isEqualTo(State.OK);
    assertThat(changes()).containsExactly("POST rename");
  }

  @Test
  void otherSpecHasNoRoom_oldOneRunsOnAndItIsToldWhatToDo() throws Exception {
    bench.pass(vbar());
    var changed = bench.supervise(vbar().command("--new"));
    engine.failStartsOf(NAME + "-next", 500, "no space left on device");

    bench.pass(changed);
    Finding found = bench.pass(changed);

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.action()).startsWith("make room on the disk").contains("reload");
    assertThat(engine.runs(NAME)).isTrue();
  }
}
