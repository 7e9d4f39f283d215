package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.ContainerRights;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.config.HostRoot;
import org.tpubootd.config.ReadyConfig;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.container.SupervisedContainer;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.testbed.FakeEngine;

/** What one pass makes of what the engine holds. */
class SupervisedContainerIT {

  private static final String NAME = "tpu-bootd-vbar";

  @TempDir Path directory;
  private FakeEngine engine;
  private Bench bench;

  @BeforeEach
  void start() throws Exception {
    engine = FakeEngine.start(directory.resolve("engine.sock"));
    bench = new Bench(engine.address());
  }

  @AfterEach
  void stop() throws Exception {
    bench.close();
    engine.close();
  }

  @Test
  void nothingThere_pulledCreatedStarted() throws Exception {
    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(changes())
        .containsExactly("POST /images/create", "POST /containers/create", "POST start");
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void nothingThere_madeAsThePageAsks() throws Exception {
    bench.pass(vbar().command("--uid=${uid}", "--gid=${gid}").environment(Map.of("A", "1")));

    JsonNode asked = engine.askedFor(NAME);
    assertThat(asked.path("Image").asText()).isEqualTo(TestConfigs.VBAR_IMAGE);
    assertThat(asked.path("Cmd").toString()).isEqualTo("[\"--uid=2000\",\"--gid=2000\"]");
    assertThat(asked.path("Env").toString()).isEqualTo("[\"A=1\"]");
    assertThat(asked.path("Labels").path("org.tpubootd.part").asText()).isEqualTo("vbar");
    assertThat(asked.path("Labels").path("org.tpubootd.spec").asText()).hasSize(64);
    JsonNode host = asked.path("HostConfig");
    assertThat(host.path("Privileged").asBoolean()).isTrue();
    assertThat(host.path("NetworkMode").asText()).isEqualTo("host");
    assertThat(host.path("RestartPolicy").path("Name").asText("")).isIn("", "no");
    assertThat(host.path("LogConfig").toString())
        .contains("json-file", "\"max-size\":\"10485760\"", "\"max-file\":\"3\"");
    assertThat(host.path("OomKillDisable").asBoolean(false)).isFalse();
  }

  @Test
  void plan_showsTheStepsAndChangesNothing() throws Exception {
    var plan = bench.supervise(vbar()).plan();

    assertThat(plan.steps())
        .extracting(step -> step.what())
        .containsExactly("pull " + TestConfigs.VBAR_IMAGE, "create and start " + NAME);
    assertThat(changes()).isEmpty();
  }

  @Test
  void freshDaemon_adoptsWhatRuns() throws Exception {
    Finding before = bench.pass(vbar());
    engine.forgetReceived();

    Finding after = bench.pass(vbar());

    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(Bench.fact(after, "id")).isEqualTo(Bench.fact(before, "id"));
    assertThat(Bench.fact(after, "startedAt")).isEqualTo(Bench.fact(before, "startedAt"));
    assertThat(changes()).isEmpty();
  }

  @Test
  void running_keptWhateverTheGateSays() throws Exception {
    bench.pass(vbar());
    engine.forgetReceived();
    bench.gate = () -> Optional.of(Finding.inert("not ours to do", "as the test wants it"));

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(changes()).isEmpty();
  }

  @Test
  void heldBack_imagePulledButNothingMade() throws Exception {
    bench.gate = () -> Optional.of(Finding.waiting("waiting for devices", "they come", null));

    var vbar = bench.supervise(vbar());
    assertThat(vbar.plan().steps())
        .extracting(step -> step.what())
        .containsExactly("pull " + TestConfigs.VBAR_IMAGE);

    Finding found = bench.pass(vbar);

    assertThat(found.summary()).isEqualTo("waiting for devices");
    assertThat(changes()).containsExactly("POST /images/create");
  }

  @Test
  void heldBackForGood_notEvenPulled() throws Exception {
    bench.gate = () -> Optional.of(Finding.inert("no TPU here", "as the test wants it"));

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.INERT);
    assertThat(changes()).isEmpty();
  }

  @Test
  void exited_startedAgainAtOnceTheFirstTime() throws Exception {
    var vbar = bench.supervise(vbar());
    Finding before = bench.pass(vbar);
    engine.exit(NAME, 0, false);

    Finding after = bench.pass(vbar);

    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(after.notes()).singleElement().asString().contains("exit code 0");
    assertThat(Bench.fact(after, "id")).isEqualTo(Bench.fact(before, "id"));
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void times_areToldInWholeSeconds() throws Exception {
    var vbar = bench.supervise(vbar());
    assertThat(bench.pass(vbar).summary())
        .matches("runs since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    engine.exit(NAME, 1, false);
    bench.pass(vbar);
    engine.exit(NAME, 1, false);

    Finding ended = bench.pass(vbar);

    assertThat(ended.toString()).contains("T").doesNotContainPattern(":\\d\\d\\.\\d+Z");
  }

  @Test
  void exitedTwice_waitsAndThenStarts() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    engine.exit(NAME, 1, false);
    bench.pass(vbar);
    engine.exit(NAME, 1, false);

    Finding waits = bench.pass(vbar);
    assertThat(waits.state()).isEqualTo(State.DEGRADED);
    assertThat(waits.summary()).matches("ended, starts again after a wait of \\d+ s");
    assertThat((Long) Bench.fact(waits, "startsAgainInSeconds")).isBetween(1L, 10L);
    assertThat(vbar.interval()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(10));
    assertThat(engine.runs(NAME)).isFalse();

    bench.time.forward(Duration.ofSeconds(2));
    assertThat(bench.pass(vbar).summary())
        .as("the same text for as long as the wait goes on")
        .isEqualTo(waits.summary());

    bench.time.forward(Duration.ofSeconds(8));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void crashLoop_showsExitCodesOutOfMemoryAndTheLastLines() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    for (int line = 1; line <= 60; line++) {
      engine.writeLog(NAME, "line " + line);
    }
    for (int exitCode : List.of(1, 139, 137)) {
      engine.exit(NAME, exitCode, exitCode == 137);
      bench.time.forward(Duration.ofMinutes(1));
      bench.pass(vbar);
      bench.time.forward(Duration.ofMinutes(1));
      bench.pass(vbar);
    }
    assertThat(bench.pass(vbar).state()).as("running again").isEqualTo(State.DEGRADED);
    engine.exit(NAME, 137, true);

    Finding found = bench.pass(vbar);

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary())
        .startsWith("crash loop: ended 4 times in a row, starts again after a wait of");
    assertThat(found.cause()).contains("exit code 137 (killed because its memory ran out)");
    assertThat((List<?>) Bench.fact(found, "lastEnds"))
        .extracting(end -> ((Map<?, ?>) end).get("exitCode"))
        .isEqualTo(List.of(1L, 139L, 137L, 137L));
    assertThat((List<?>) Bench.fact(found, "lastEnds"))
        .extracting(end -> ((Map<?, ?>) end).get("oomKilled"))
        .isEqualTo(List.of(false, false, true, true));
    assertThat((List<?>) Bench.fact(found, "lastLog")).hasSize(50).last().isEqualTo("line 60");
  }

  /** docker-java reads in pieces of 1,024 bytes, each into the same buffer. */
  @Test
  void lastLog_linesThatAreReadInPiecesAreAsTheyWereWritten() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    List<String> lines =
        IntStream.range(0, 50)
            .mapToObj(line -> line + ": " + "äö€".repeat(100) + "z".repeat(line * 7))
            .toList();
    lines.forEach(line -> engine.writeLog(NAME, line));
    engine.exit(NAME, 1, false);

    Finding found = bench.pass(vbar);

    assertThat(Bench.fact(found, "lastLog")).isEqualTo(lines);
  }

  @Test
  void lastLog_longLineIsCut() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    engine.writeLog(NAME, "x".repeat(2500) + "y".repeat(2500));
    engine.exit(NAME, 1, false);

    Finding found = bench.pass(vbar);

    assertThat((List<?>) Bench.fact(found, "lastLog"))
        .last()
        .isEqualTo("x".repeat(1000) + "... (4000 more characters)");
  }

  @Test
  void exitedBeforeWeCame_startedWithoutBeingCounted() throws Exception {
    bench.pass(vbar());
    engine.exit(NAME, 143, false);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes()).isEmpty();
    assertThat(Bench.fact(found, "endsInARow")).isEqualTo(0);
  }

  @Test
  void exitedAndItsImageIsNewer_madeAnew() throws Exception {
    Finding before = bench.pass(vbar());
    engine.exit(NAME, 0, false);
    engine.addImage(TestConfigs.VBAR_IMAGE);

    Finding after = bench.pass(vbar());

    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(Bench.fact(after, "id")).isNotEqualTo(Bench.fact(before, "id"));
    assertThat(engine.names()).containsExactly(NAME);
  }

  @Test
  void removedBySomebody_madeAnew() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    engine.removeByForce(NAME);

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void dead_removedAndMadeAnew() throws Exception {
    bench.pass(vbar());
    engine.setStatus(NAME, "dead");

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void paused_toldAndNotTouched() throws Exception {
    bench.pass(vbar());
    engine.setStatus(NAME, "paused");
    engine.forgetReceived();

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.action()).isEqualTo("docker unpause " + NAME);
    assertThat(changes()).isEmpty();
  }

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

  @Test
  void crashLoop_goesOnAfterARestartOfTpuBootd() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    for (int i = 0; i < 4; i++) {
      engine.exit(NAME, 3, false);
      bench.pass(vbar);
      bench.time.forward(Duration.ofMinutes(4));
      bench.pass(vbar);
    }
    engine.writeLog(NAME, "the last word");
    engine.exit(NAME, 4, true);
    bench.pass(vbar);
    engine.forgetReceived();

    var next = bench.supervise(vbar());
    Finding found = bench.pass(next);

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary())
        .startsWith("crash loop: ended 5 times in a row, starts again after a wait of ");
    assertThat(Bench.fact(found, "lastEnds").toString()).contains("exitCode=3", "exitCode=4");
    assertThat((List<?>) Bench.fact(found, "lastLog")).last().isEqualTo("the last word");
    assertThat(changes()).isEmpty();
    bench.time.forward(Duration.ofMinutes(5));
    bench.pass(next);
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void memoryThatCannotBeReadOrWritten_isNoFailure() throws Exception {
    bench.states.breakDown();

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
  }

  @Test
  void plan_remembersNothing() throws Exception {
    bench.supervise(vbar()).plan();

    assertThat(bench.states.texts).isEmpty();
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
  void twoOfOurs_theOneMoreIsRemoved() throws Exception {
    Finding before = bench.pass(vbar());
    engine.addCopy(NAME, NAME + "-next");

    Finding after = bench.pass(vbar());

    assertThat(Bench.fact(after, "id")).isEqualTo(Bench.fact(before, "id"));
    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(engine.names()).containsExactly(NAME);
  }

  @Test
  void switchedOff_oursStoppedAndRemovedOthersNot() throws Exception {
    bench.pass(vbar());
    engine.addForeign("somebody", true);

    Finding found = bench.pass(vbar().disabled());

    assertThat(found.state()).isEqualTo(State.INERT);
    assertThat(engine.names()).containsExactly("somebody");
  }

  @Test
  void configFileMissing_toldAndNothingMade() throws Exception {
    bench.root = new HostRoot(directory);

    Finding found = bench.pass(vbar().mounting("/etc/otel.yaml", "/conf/otel.yaml"));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("/etc/otel.yaml is not there");
    assertThat(changes()).isEmpty();
  }

  @Test
  void configFileGoneWhileRunning_containerLeftAlone() throws Exception {
    bench.root = new HostRoot(directory);
    Path file = Files.writeString(directory.resolve("otel.yaml"), "a: 1\n");
    var one = vbar().mounting("/otel.yaml", "/conf/otel.yaml");
    bench.pass(one);
    Files.delete(file);

    assertThat(bench.pass(one).state()).isEqualTo(State.DEGRADED);
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void configFileChanged_replacedWithTheFileReadOnly() throws Exception {
    bench.root = new HostRoot(directory);
    Path file = Files.writeString(directory.resolve("otel.yaml"), "a: 1\n");
    var one = vbar().mounting("/otel.yaml", "/conf/otel.yaml");
    Finding before = bench.pass(one);
    Files.writeString(file, "a: 2\n");

    Finding after = bench.pass(one);

    assertThat(Bench.fact(after, "id")).isNotEqualTo(Bench.fact(before, "id"));
    JsonNode mount = engine.askedFor(NAME).path("HostConfig").path("Mounts").path(0);
    assertThat(mount.path("Source").asText()).isEqualTo(file.toString());
    assertThat(mount.path("Target").asText()).isEqualTo("/conf/otel.yaml");
    assertThat(mount.path("ReadOnly").asBoolean()).isTrue();
  }

  @Test
  void rights_askedOfTheEngineAsMountsAndLimits() throws Exception {
    bench.root = new HostRoot(directory);
    Files.createDirectories(directory.resolve("dev"));
    Path node = Files.createFile(directory.resolve("dev/x"));
    Path data = Files.createDirectories(directory.resolve("data"));

    bench.pass(
        vbar()
            .rights(
                new ContainerRights(
                    "2000",
                    "100",
                    List.of("44"),
                    List.of("/data:/in/data:ro"),
                    List.of("/dev/x:/dev/y:rw"),
                    new BigDecimal("1.5"),
                    Map.of("memlock", "unlimited"),
                    ContainerRights.PidMode.HOST)));

    assertThat(engine.askedFor(NAME).path("User").asText()).isEqualTo("2000:100");
    JsonNode host = engine.askedFor(NAME).path("HostConfig");
    assertThat(host.path("GroupAdd").toString()).isEqualTo("[\"44\"]");
    assertThat(host.path("NanoCpus").asLong()).isEqualTo(1_500_000_000);
    assertThat(host.path("PidMode").asText()).isEqualTo("host");
    assertThat(host.path("Binds").isEmpty()).as("the engine makes what is missing").isTrue();
    JsonNode mount = host.path("Mounts").path(0);
    assertThat(mount.path("Source").asText()).isEqualTo(data.toString());
    assertThat(mount.path("Target").asText()).isEqualTo("/in/data");
    assertThat(mount.path("ReadOnly").asBoolean()).isTrue();
    JsonNode device = host.path("Devices").path(0);
    assertThat(device.path("PathOnHost").asText()).isEqualTo(node.toString());
    assertThat(device.path("PathInContainer").asText()).isEqualTo("/dev/y");
    assertThat(device.path("CgroupPermissions").asText()).isEqualTo("rw");
    JsonNode limit = host.path("Ulimits").path(0);
    assertThat(limit.path("Name").asText()).isEqualTo("memlock");
    assertThat(limit.path("Soft").asLong()).isEqualTo(-1);
    assertThat(limit.path("Hard").asLong()).isEqualTo(-1);
  }

  @Test
  void volumeThatIsNotThere_toldAndNothingMade() throws Exception {
    bench.root = new HostRoot(directory);

    Finding found =
        bench.pass(
            vbar()
                .rights(
                    new ContainerRights(
                        "",
                        "",
                        List.of(),
                        List.of("/data:/in/data"),
                        List.of(),
                        null,
                        Map.of(),
                        ContainerRights.PidMode.PRIVATE)));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).isEqualTo("/data is not there, which is to be mounted at /in/data");
    assertThat(changes()).isEmpty();
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void notReady_waitsThenIsDegradedAndNeverRestarted() throws Exception {
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    var vbar = bench.supervise(vbar().ready(tcp(port)));

    Finding starting = bench.pass(vbar);
    assertThat(starting.state()).isEqualTo(State.WAITING);
    assertThat(starting.cause()).contains("a connection to port " + port);
    assertThat(vbar.interval()).isLessThanOrEqualTo(Duration.ofSeconds(2));
    engine.forgetReceived();
    bench.time.forward(Duration.ofSeconds(31));

    Finding late = bench.pass(vbar);
    assertThat(late.state()).isEqualTo(State.DEGRADED);
    assertThat(late.summary()).isEqualTo("runs, but is not ready");
    assertThat(changes()).isEmpty();

    try (var listening = new ServerSocket(port)) {
      assertThat(listening.isBound()).isTrue();
      bench.time.forward(Duration.ofSeconds(31));
      assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    }
  }

  private static ReadyConfig tcp(int port) {
    return new ReadyConfig(
        ReadyConfig.Type.TCP,
        port,
        "/",
        null,
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        Duration.ofSeconds(2));
  }

  @Test
  void imageOfTpuEnv_usedWhereAskedFor() throws Exception {
    bench.imageOfTpuEnv = Optional.of("gcr.io/p/named:3");

    bench.pass(vbar().imageFromTpuEnv());

    assertThat(engine.askedFor(NAME).path("Image").asText()).isEqualTo("gcr.io/p/named:3");
  }

  @Test
  void imageOfTpuEnv_noneNamedMeansTheConfiguredOne() throws Exception {
    bench.imageOfTpuEnv = Optional.of(" ");

    bench.pass(vbar().imageFromTpuEnv());

    assertThat(engine.askedFor(NAME).path("Image").asText()).isEqualTo(TestConfigs.VBAR_IMAGE);
  }

  @Test
  void imageOfTpuEnv_waitedForAndWhatRunsIsKept() throws Exception {
    assertThat(bench.pass(vbar().imageFromTpuEnv()).state()).isEqualTo(State.WAITING);
    assertThat(changes()).isEmpty();
    bench.pass(vbar());
    engine.forgetReceived();

    assertThat(bench.pass(vbar().imageFromTpuEnv()).state()).isEqualTo(State.OK);
    assertThat(changes()).isEmpty();
  }

  @Test
  void imageOfTpuEnv_notAskedForIsNotUsed() throws Exception {
    bench.imageOfTpuEnv = Optional.of("gcr.io/p/named:3");

    bench.pass(vbar());

    assertThat(engine.askedFor(NAME).path("Image").asText()).isEqualTo(TestConfigs.VBAR_IMAGE);
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

  @Test
  void startRefused_toldAndTriedAgainLater() throws Exception {
    engine.failStartsOf(NAME, "OCI runtime create failed: unable to apply caps");
    var vbar = bench.supervise(vbar());

    assertThat(bench.pass(vbar).cause()).contains("unable to apply caps");
    bench.pass(vbar);
    Finding waits = bench.pass(vbar);

    assertThat(waits.summary()).contains("starts again after a wait of");
    assertThat(waits.cause()).contains("unable to apply caps");
    assertThat(engine.received("POST", "/start")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/containers/create", "/start"})
  void noRoomOnTheEnginesDisk_toldWhatToDoAndHealsWhenThereIs(String call) throws Exception {
    engine.faults().fail(call, 500, "mkdir /var/lib/docker/overlay2/1: no space left on device");
    var vbar = bench.supervise(vbar());

    for (int pass = 0; pass < 4; pass++) {
      Finding found = bench.pass(vbar);
      assertThat(found.cause()).contains("no space left on device");
      assertThat(found.action()).isEqualTo("make room on the disk of the engine's data folder");
    }

    engine.faults().clear();
    bench.time.forward(Duration.ofMinutes(10));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(engine.runs(NAME)).isTrue();
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

  @Test
  void pullNeverAndNoImage_told() throws Exception {
    Finding found = bench.pass(vbar().pull(Pull.NEVER));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("is not on this host").contains("pull is never");
    assertThat(changes()).isEmpty();
  }

  @Test
  void logLines_beginWithThePart() throws Exception {
    List<String> logged;
    try (var log = new LogLines()) {
      bench.pass(vbar());
      bench.pass(vbar().command("--new"));
      new ContainerStop(bench.engine, bench.limits).stopAll();
      bench.pass(vbar().disabled());
      logged = log.lines();
    }

    assertThat(logged)
        .contains("container/vbar: started tpu-bootd-vbar", "container/vbar: stopped")
        .allSatisfy(line -> assertThat(line).startsWith("container/vbar: "))
        .noneSatisfy(line -> assertThat(line).containsPattern("[0-9a-f]{64}"));
  }

  @Test
  void stopAll_stopsOursSideBySideAndKeepsThem() throws Exception {
    bench.pass(vbar());
    bench.pass(vbar().name("telemetry").image("gcr.io/p/telemetry:1"));
    engine.addForeign("somebody", true);

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();

    assertThat(engine.names()).containsExactly(NAME, "tpu-bootd-telemetry", "somebody");
    assertThat(engine.runs(NAME)).isFalse();
    assertThat(engine.runs("tpu-bootd-telemetry")).isFalse();
    assertThat(engine.runs("somebody")).isTrue();
  }

  /** Our side of a start is cut off by the end of the loop; the engine goes on with it. */
  @Test
  void stopAll_startThatTheEngineStillCarriesOut_stoppedToo() throws Exception {
    engine.faults().holdStarts();
    var vbar = bench.supervise(vbar());
    var loop = Thread.ofVirtual().start(() -> passUntilInterrupted(vbar));
    Awaitility.await().until(() -> !engine.received("POST", "/start").isEmpty());
    loop.interrupt();
    loop.join();

    List<String> problems;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var stop = threads.submit(() -> new ContainerStop(bench.engine, bench.limits).stopAll());
      Awaitility.await().until(() -> !engine.received("POST", "/stop").isEmpty());
      engine.faults().clear();
      problems = stop.get();
    }

    assertThat(problems).isEmpty();
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.inspect(NAME).orElseThrow().path("State").path("Status").asText())
        .isEqualTo("exited");
  }

  private void passUntilInterrupted(SupervisedContainer container) {
    try {
      bench.pass(container);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void stopAll_noEngineIsNothingToDo() throws Exception {
    engine.goAway();

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();
  }

  @Test
  void stopAll_tellsWhatCouldNotBeStopped() throws Exception {
    bench.pass(vbar());
    engine.faults().fail("/stop", 500, "cannot stop container");

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll())
        .singleElement()
        .asString()
        .startsWith("container/vbar: cannot stop the container")
        .contains("cannot stop container");
  }

  /** The calls that change something, without ids. */
  private List<String> changes() {
    return engine.received().stream()
        .filter(one -> !one.method().equals("GET"))
        .map(one ->
            one.method()
                + " "
                + one.path()
                    .replaceFirst("^/containers/[0-9a-f]{64}$", "container")
                    .replaceFirst("^/containers/[0-9a-f]{64}/", ""))
        .toList();
  }
}
