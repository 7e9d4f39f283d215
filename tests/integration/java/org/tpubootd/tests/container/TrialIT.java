package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.SupervisedContainer;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

/** A new container that does not stand its first seconds, or cannot be started. */
class TrialIT extends OnFakeEngine {

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 409, 500})
  void otherSpecThatCannotBeStarted_oldOneComesBackAndStays(int status) throws Exception {
    Finding before = bench.pass(vbar());
    String id = (String) Bench.fact(before, "id");
    var changed = bench.supervise(vbar().command("--new"));
    engine.failStartsOf(NAME + "-next", status, "network typo-net not found");

    for (int pass = 0; pass < 8; pass++) {
      Finding found = bench.pass(changed);
      assertThat(found.state()).isEqualTo(State.DEGRADED);
      assertThat(found.cause()).contains("network typo-net not found");
      assertThat(engine.runs(id)).isTrue();
      bench.time.forward(Duration.ofMinutes(10));
    }
    assertThat(bench.pass(changed).action()).contains("reload");
    assertThat(engine.received("POST", "/stop")).as("tried once").hasSize(1);
    assertThat(engine.names()).containsExactly(NAME);
  }

  /** Such as one with a mount that hangs: it is not the engine, which takes the old one. */
  @Test
  void otherSpecWhoseStartIsNotAnswered_oldOneComesBackAndStays() throws Exception {
    bench.close();
    bench = new Bench(engine.address(), Duration.ofMillis(500));
    String id = (String) Bench.fact(bench.pass(vbar()), "id");
    var changed = bench.supervise(vbar().command("--new"));
    engine.faults().holdStartsOf(NAME + "-next");
    bench.pass(changed);
    assertThat(engine.runs(id)).isTrue();
    engine.faults().clear();
    Awaitility.await().until(() -> engine.runs(NAME + "-next"));

    Finding found = bench.pass(changed);

    assertThat(found.summary()).startsWith("runs with its old specification");
    assertThat(found.cause()).contains("it took the call and did not answer within 500 ms");
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.runs(id)).isTrue();
    assertNotTriedAgain(changed);
  }

  /** As a real engine does that was killed in the middle of that start. */
  @Test
  void otherSpecWhoseStartWasCutOffAndIsRefused_isMadeAnewBeforeItIsJudged() throws Exception {
    String id = (String) Bench.fact(bench.pass(vbar()), "id");
    var changed = bench.supervise(vbar().command("--new"));
    engine.faults().drop("/start");
    bench.pass(changed);
    engine.faults().clear();
    assertThat(engine.names()).containsExactlyInAnyOrder(NAME, NAME + "-next");
    engine.failStartsOf(NAME + "-next", 500, "task 76ff3cd33d2b: already exists");

    bench.pass(changed);

    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.runs(id)).isTrue();
    engine.letStart(NAME + "-next");
    bench.time.forward(Duration.ofMinutes(10));
    assertThat(bench.pass(changed).state()).isEqualTo(State.OK);
    assertThat(engine.runs(NAME + "-next")).isTrue();
  }

  @Test
  void oldOneThatCameBackIsRefused_isKeptSinceNoneLikeItCanBeMade() throws Exception {
    String id = (String) Bench.fact(bench.pass(vbar()), "id");
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    engine.exit(NAME + "-next", 2, false);
    bench.pass(changed);
    engine.exit(NAME, 1, false);
    engine.failStartsOf(NAME, 500, "no space left on device");
    for (int pass = 0; pass < 4; pass++) {
      bench.pass(changed);
      bench.time.forward(Duration.ofMinutes(10));
    }
    engine.letStart(NAME);

    bench.pass(changed);

    assertThat(engine.runs(id)).isTrue();
    assertThat(engine.names()).containsExactly(NAME);
  }

  @Test
  void otherSpecThatCannotBeStarted_triedAgainWhenTheSpecChanges() throws Exception {
    bench.root = new HostRoot(directory);
    Path file = Files.writeString(directory.resolve("otel.yaml"), "a: 1\n");
    bench.pass(vbar());
    var changed = bench.supervise(vbar().mounting("/otel.yaml", "/conf/otel.yaml"));
    engine.failStartsOf(NAME + "-next", 404, "network typo-net not found");
    for (int pass = 0; pass < 4; pass++) {
      bench.pass(changed);
      bench.time.forward(Duration.ofMinutes(10));
    }
    Files.writeString(file, "a: 2\n");

    bench.pass(changed);

    assertThat(engine.received("POST", "/stop")).hasSize(2);
  }

  @Test
  void otherSpecAndTheOldOneDoesNotComeBackEither_keptAndStartedLater() throws Exception {
    Finding before = bench.pass(vbar());
    String id = (String) Bench.fact(before, "id");
    var changed = bench.supervise(vbar().command("--new"));
    engine.failStartsOf(NAME + "-next", 404, "network typo-net not found");
    engine.failStartsOf(NAME, 500, "the engine has a bad day");
    bench.pass(changed);
    assertThat(engine.runs(id)).isFalse();

    engine.letStart(NAME);
    bench.time.forward(Duration.ofMinutes(10));
    bench.pass(changed);

    assertThat(engine.runs(id)).isTrue();
    assertNotTriedAgain(changed);
  }

  @Test
  void otherSpecThatEndsOnItsTrial_oldOneComesBackAndStays() throws Exception {
    String id = (String) Bench.fact(bench.pass(vbar()), "id");
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    engine.writeLog(NAME + "-next", "unknown flag --new");
    engine.exit(NAME + "-next", 2, false);

    Finding found = bench.pass(changed);

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary())
        .isEqualTo("runs with its old specification, since the new one has failed");
    assertThat(found.cause()).contains("exit code 2");
    assertThat(found.action()).contains("systemctl reload tpu-bootd");
    assertThat((List<?>) Bench.fact(found, "lastLog")).last().isEqualTo("unknown flag --new");
    assertThat(engine.runs(id)).isTrue();
    assertNotTriedAgain(changed);
    assertNotTriedAgain(bench.supervise(vbar().command("--new")));
  }

  private void assertNotTriedAgain(SupervisedContainer changed) throws Exception {
    bench.time.forward(Duration.ofMinutes(10));
    bench.pass(changed);
    engine.forgetReceived();
    bench.time.forward(Duration.ofMinutes(10));

    Finding found = bench.pass(changed);

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary()).startsWith("runs with its old specification");
    assertThat(changes()).isEmpty();
    assertThat(engine.names()).containsExactly(NAME);
  }

  @Test
  void specThatFailed_triedAgainAfterAReload() throws Exception {
    failNewSpec();
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    bench.reloads++;

    Finding found = bench.pass(changed);

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(engine.askedFor(NAME + "-next").path("Cmd").toString()).isEqualTo("[\"--new\"]");
  }

  @Test
  void specThatFailed_anotherOneIsTriedAtOnce() throws Exception {
    failNewSpec();

    Finding found = bench.pass(vbar().command("--newer"));

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(engine.askedFor(NAME + "-next").path("Cmd").toString()).isEqualTo("[\"--newer\"]");
  }

  @Test
  void specThatFailed_oldOneIsSupervisedLikeAnyOther() throws Exception {
    String id = failNewSpec();
    engine.exit(NAME, 1, false);
    var changed = bench.supervise(vbar().command("--new"));

    assertThat(bench.pass(changed).state()).isEqualTo(State.DEGRADED);
    assertThat(engine.runs(id)).isTrue();
    engine.removeByForce(NAME);

    assertThat(bench.pass(changed).state()).isEqualTo(State.OK);
    assertThat(engine.askedFor(NAME).path("Cmd").toString())
        .as("nothing else is left to be made")
        .isEqualTo("[\"--new\"]");
  }

  /** The id of the old one, which has come back. */
  private String failNewSpec() throws Exception {
    String id = (String) Bench.fact(bench.pass(vbar()), "id");
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    engine.exit(NAME + "-next", 2, false);
    bench.pass(changed);
    assertThat(engine.runs(id)).isTrue();
    return id;
  }

  @Test
  void stoppedWithTpuBootdOnItsTrial_goesOnWithIt() throws Exception {
    bench.pass(vbar());
    bench.pass(vbar().command("--new"));
    engine.exit(NAME + "-next", 143, false);

    Finding found = bench.pass(vbar().command("--new"));

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(engine.runs(NAME + "-next")).isTrue();
    assertThat(engine.runs(NAME)).isFalse();
  }

  /** Such as while the engine hung, until somebody restarted it. */
  @Test
  void otherSpecThatEndsAfterItsTrialAndNobodyHasLooked_goesOnWithIt() throws Exception {
    bench.pass(vbar());
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    bench.time.forward(Duration.ofMinutes(5));
    engine.exit(NAME + "-next", 143, false);

    Finding found = bench.pass(changed);

    assertThat(found.state()).as(found.toString()).isEqualTo(State.OK);
    assertThat(engine.runs(NAME + "-next")).isTrue();
    assertThat(engine.runs(NAME)).isFalse();
  }

  @Test
  void backToTheOldSpecWhileAnotherIsOnTrial_oldOneIsStartedAgain() throws Exception {
    String id = (String) Bench.fact(bench.pass(vbar()), "id");
    bench.pass(vbar().command("--new"));

    Finding found = bench.pass(vbar());
    bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.runs(id)).isTrue();
  }

  @Test
  void anotherSpecWhileOneIsOnTrial_waitsForTheEndOfTheTrial() throws Exception {
    bench.pass(vbar());
    bench.pass(vbar().command("--new"));
    var newer = bench.supervise(vbar().command("--newer"));

    Finding found = bench.pass(newer);

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary()).isEqualTo("runs with an old specification");
    assertThat(newer.interval()).isLessThanOrEqualTo(Duration.ofSeconds(10));
    assertThat(engine.askedFor(NAME + "-next").path("Cmd").toString()).isEqualTo("[\"--new\"]");
    bench.time.forward(Duration.ofSeconds(10));

    assertThat(bench.pass(newer).state()).isEqualTo(State.OK);
    assertThat(engine.names()).containsExactly(NAME, NAME + "-next");
    assertThat(engine.askedFor(NAME).path("Cmd").toString()).isEqualTo("[\"--new\"]");
    assertThat(engine.askedFor(NAME + "-next").path("Cmd").toString()).isEqualTo("[\"--newer\"]");
    assertThat(engine.runs(NAME + "-next")).isTrue();
  }

  @Test
  void anotherSpecWhileOneEndsOnItsTrial_theProvedOneIsTheOneThatComesBack() throws Exception {
    String id = (String) Bench.fact(bench.pass(vbar()), "id");
    bench.pass(vbar().command("--new"));
    var newer = bench.supervise(vbar().command("--newer"));
    bench.pass(newer);
    engine.exit(NAME + "-next", 2, false);
    bench.pass(newer);
    assertThat(engine.askedFor(NAME + "-next").path("Cmd").toString()).isEqualTo("[\"--newer\"]");
    engine.exit(NAME + "-next", 2, false);
    bench.time.forward(Duration.ofSeconds(5));

    Finding found = bench.pass(newer);

    assertThat(found.summary()).startsWith("runs with its old specification");
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.runs(id)).isTrue();
  }
}
