package org.tpubootd.tests.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.DaemonProcess;
import org.tpubootd.testbed.MadeUpHost;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;

/** The whole daemon with a real Docker Engine: what it must never do to a running container. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.ROOT})
class RealDaemonIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> CONTAINERS = List.of("tpu-bootd-vbar", "tpu-bootd-telemetry");

  private static RealEngine engine;
  private MadeUpHost host;

  @BeforeAll
  static void startEngine() throws Exception {
    engine = RealEngine.start();
  }

  @AfterAll
  static void stopEngine() throws Exception {
    engine.close();
  }

  @BeforeEach
  void makeHost(@TempDir Path work) throws Exception {
    host = new MadeUpHost(Path.of(System.getProperty("tpubootd.project")), work);
    // Privileged containers are proved in a VM: this machine may be one that allows none.
    String container = "  %s:\n    image: " + RealEngine.IMAGE + "\n    privileged: false\n";
    host.configure(
        "50-image",
        "containers:\n" + container.formatted("vbar") + container.formatted("telemetry"));
  }

  @AfterEach
  void closeHost() throws Exception {
    host.close();
    for (String name : CONTAINERS) {
      engine.docker("rm", "--force", name);
    }
  }

  @Test
  void containersThatAreKilled_areBack() throws Exception {
    try (var daemon = startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      for (String name : CONTAINERS) {
        String before = startedAt(name);

        engine.docker("kill", name);

        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> {
              assertThat(inspect(name, "{{.State.Running}}")).isEqualTo("true");
              assertThat(startedAt(name)).isNotEqualTo(before);
            });
      }
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
    }
  }

  @Test
  void daemonThatIsKilled_adoptsWhatRunsWhenItIsStartedAgain() throws Exception {
    List<String> before;
    try (var daemon = startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      before = idsAndStarts();

      daemon.signal("KILL");

      assertThat(daemon.awaitEnd(PATIENCE)).isEqualTo(128 + 9);
    }
    try (var daemon = startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      assertThat(idsAndStarts()).isEqualTo(before);
    }
  }

  @Test
  void engineThatIsKilled_isGotOver() throws Exception {
    try (var daemon = startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      engine.killTheEngine();
      await().atMost(PATIENCE).until(() -> !daemon.isReady());
      engine.comeBack();

      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      assertThat(daemon.get("/livez").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void sigterm_stopsTheContainers() throws Exception {
    try (var daemon = startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      daemon.signal("TERM");

      assertThat(daemon.awaitEnd(PATIENCE)).isZero();
      assertThat(CONTAINERS)
          .allSatisfy(name -> assertThat(inspect(name, "{{.State.Running}}")).isEqualTo("false"));
    }
  }

  private DaemonProcess startDaemon() throws Exception {
    return host.startDaemon(Map.of("DOCKER_HOST", engine.address()));
  }

  private List<String> idsAndStarts() throws Exception {
    return List.of(
        inspect(CONTAINERS.getFirst(), "{{.Id}} {{.State.StartedAt}}"),
        inspect(CONTAINERS.getLast(), "{{.Id}} {{.State.StartedAt}}"));
  }

  private static String startedAt(String name) throws Exception {
    return inspect(name, "{{.State.StartedAt}}");
  }

  private static String inspect(String name, String format) throws Exception {
    return engine.docker("inspect", "--format", format, name);
  }
}
