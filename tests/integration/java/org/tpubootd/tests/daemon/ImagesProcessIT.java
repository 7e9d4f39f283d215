package org.tpubootd.tests.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.FakeEngine;
import org.tpubootd.testbed.MadeUpHost;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.daemon.Commands.Outcome;

/** What takes processes of {@code images} and {@code containers}: a daemon beside, a signal. */
// Not in the fast run, which is to end within three minutes.
@Tag("real")
class ImagesProcessIT {

  private static final Path PROJECT = Path.of(System.getProperty("tpubootd.project"));
  private static final String VBAR = "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1";
  private static final String BAKED = "/usr/share/tpu-bootd/images/";

  private MadeUpHost host;
  private FakeEngine engine;
  private Commands commands;

  @BeforeEach
  void makeHost(@TempDir Path work) throws IOException {
    host = new MadeUpHost(PROJECT, work);
    engine = host.engine();
    commands = new Commands(host, work);
  }

  @AfterEach
  void closeHost() throws IOException {
    host.close();
  }

  @Test
  void pull_besideADaemonLeavesItsContainersAlone() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(Duration.ofSeconds(60))).isTrue();
      String before = engine.inspect("tpu-bootd-vbar").orElseThrow().toString();
      engine.forgetReceived();

      Outcome pull = commands.run("images", "pull");

      assertThat(pull.exitCode()).as(pull.toString()).isZero();
      assertThat(pull.out()).contains(VBAR + ": pulled");
      assertThat(engine.inspect("tpu-bootd-vbar").orElseThrow()).hasToString(before);
      assertThat(engine.received("POST", ""))
          .extracting(FakeEngine.Received::path)
          .containsOnly("/images/create");
      assertThat(engine.received("DELETE", "")).isEmpty();
      assertThat(daemon.isReady()).isTrue();
    }
  }

  @Test
  @NeedsPart(Part.SCRIPT)
  void pull_onATerminal_showsHowFarItIs() throws Exception {
    ProcessBuilder pull = host.command("images", "pull", "vbar");
    String line = String.join(" ", pull.command());
    pull.command("script", "--quiet", "--return", "--command", line, "/dev/null");

    Outcome outcome = commands.run(pull);

    assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
    assertThat(outcome.out())
        .contains("\rpulling vbar: ")
        .containsPattern("\r *\r" + Pattern.quote(VBAR) + ": pulled");
  }

  @Test
  void pullSave_ctrlC_leavesNothingHalfDone() throws Exception {
    engine.faults().hang("/get");
    ProcessBuilder command = host.command("images", "pull", "--save", "vbar");
    // A shell starts what runs in its background with SIGINT ignored, and it is inherited so.
    command.command().addAll(0, List.of("env", "--default-signal=INT"));
    Process pull = commands.start(command);
    await().until(() -> !engine.received("GET", "/get").isEmpty());
    assertThat(host.file(BAKED).toFile().list()).hasSize(1);

    new ProcessBuilder("kill", "-INT", String.valueOf(pull.pid())).start().waitFor();

    Outcome outcome = commands.outcome(pull);
    assertThat(outcome.exitCode()).isEqualTo(130);
    assertThat(outcome.err()).isEmpty();
    assertThat(host.file(BAKED).toFile().list()).isEmpty();
  }

  @Test
  void containersRemove_takesOursAndNobodyElses() throws Exception {
    assertThat(commands.run("apply").exitCode()).isZero();
    engine.addForeign("somebody-elses", true);

    Outcome removed = commands.run("containers", "remove");

    assertThat(removed.exitCode()).as(removed.toString()).isZero();
    assertThat(removed.out().lines())
        .containsExactlyInAnyOrder("tpu-bootd-vbar: removed", "tpu-bootd-telemetry: removed");
    assertThat(engine.names()).containsExactly("somebody-elses");
    assertThat(engine.hasImage(VBAR)).isTrue();
  }

  @Test
  void containersRemove_withoutAnEngine_isNotDone() throws Exception {
    engine.goAway();

    Outcome removed = commands.run("containers", "remove");

    assertThat(removed.exitCode()).isEqualTo(1);
    assertThat(removed.err()).contains("no such socket");
  }
}
