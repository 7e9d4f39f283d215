package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.config.ReadyConfig;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

/** What one pass makes of what the engine holds. */
class SupervisedContainerIT extends OnFakeEngine {

  @Test
  void nothingThere_pulledCreatedStarted() throws Exception {
    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(changes())
        .containsExactly("POST /images/create", "POST /containers/create", "POST start");
    assertThat(engine.runs(NAME)).isTrue();
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
}
