package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.DaemonOnRealEngine.PATIENCE;
import static org.tpubootd.tests.container.DaemonOnRealEngine.TELEMETRY;
import static org.tpubootd.tests.container.DaemonOnRealEngine.VBAR;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.tests.Measured;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.RealRegistry;

/** The disk of the engine's data folder is full, under the whole daemon. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.REGISTRY, Part.ROOT, Part.MOUNTS})
class DiskFullIT {

  private RealEngine engine;
  private RealRegistry registry;
  private DaemonOnRealEngine daemon;
  private String image;

  @BeforeEach
  void start(@TempDir Path work) throws Exception {
    engine = RealEngine.startOnSmallDisk(64);
    registry = RealRegistry.start();
    engine.makeImage("made:1", 2, 4);
    registry.push(engine, "made:1", "p/vbar:1");
    engine.removeOtherImages();
    image = registry.address() + "/p/vbar:1";
    daemon = new DaemonOnRealEngine(engine, work);
    daemon.awaitReady();
  }

  @AfterEach
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
    if (registry != null) {
      registry.close();
    }
    if (engine != null) {
      engine.close();
    }
  }

  @Test
  void newImageHasNoRoom_toldAndTheOldOneRunsOnUntilThereIs() throws Exception {
    var before = daemon.holds();
    var runs = daemon.runs();
    fillTheDisk();

    daemon.changeImageOfVbar(image);
    awaitCause("vbar", "no space left on device");

    var told = daemon.status("vbar");
    assertThat(told.path("state").asText()).isEqualTo("degraded");
    assertThat(told.path("action").asText()).contains("make room on the disk");
    assertThat(daemon.runs()).isEqualTo(runs);

    makeRoom();
    daemon.awaitVbarAlone(image, PATIENCE.multipliedBy(2));
    assertThat(daemon.run(TELEMETRY)).isEqualTo(runs.getLast());
    daemon.assertAllAsBefore(before);
  }

  @Test
  void killedWhileThereIsNoRoom_toldAndRunsAgainWhenThereIs() throws Exception {
    var before = daemon.holds();
    String other = daemon.run(VBAR);
    String run = daemon.run(TELEMETRY);
    fillTheDisk();

    engine.docker("kill", TELEMETRY);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() ->
            daemon.runsAnew(TELEMETRY, run)
                || daemon.status("telemetry").path("cause").asText().contains("no space left"));
    Measured.tell(
        "container killed on a full disk",
        daemon.runsAnew(TELEMETRY, run)
            ? "started again"
            : daemon.status("telemetry").path("cause"));
    if (!daemon.runsAnew(TELEMETRY, run)) {
      assertThat(daemon.status("telemetry").path("action").asText())
          .contains("make room on the disk");
    }

    makeRoom();
    Awaitility.await().atMost(PATIENCE).until(() -> daemon.runsAnew(TELEMETRY, run));
    assertThat(daemon.run(VBAR)).isEqualTo(other);
    daemon.assertAllAsBefore(before);
  }

  private void awaitCause(String part, String words) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(daemon.status(part).path("cause").asText()).contains(words));
  }

  private void fillTheDisk() throws IOException {
    try (var filler = Files.newOutputStream(filler())) {
      var block = new byte[4096];
      while (Files.getFileStore(engine.data()).getUsableSpace() > 0) {
        filler.write(block);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left on device");
    }
  }

  private void makeRoom() throws IOException {
    Files.delete(filler());
  }

  private Path filler() {
    return engine.data().resolve("filler");
  }
}
