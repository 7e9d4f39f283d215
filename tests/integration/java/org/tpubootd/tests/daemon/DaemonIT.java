package org.tpubootd.tests.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.testbed.DaemonProcess;
import org.tpubootd.testbed.MadeUpHost;

/** The whole daemon, as a process of its own, on the test-bed. */
class DaemonIT {

  private static final Logger log = LoggerFactory.getLogger(DaemonIT.class);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Path PROJECT = Path.of(System.getProperty("tpubootd.project"));

  private MadeUpHost host;

  @BeforeEach
  void makeHost(@TempDir Path work) throws IOException {
    host = new MadeUpHost(PROJECT, work);
  }

  @AfterEach
  void closeHost() throws IOException {
    host.close();
  }

  @Test
  void boot_makesTheHostReady() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      assertThat(host.file("/home/tpu-runtime/tpu-env"))
          .content()
          .startsWith("ACCELERATOR_TYPE=\"v5p-16\"\n");
      assertThat(host.file("/etc/tpu/tpu-env")).hasContent(MadeUpHost.TPU_ENV);
      assertThat(host.file("/etc/environment")).content().contains("GCS_RESOLVE_REFRESH_SECS=60");
      assertThat(host.file("/run/tpu-bootd/workload.env"))
          .content()
          .contains("TPU_WORKER_HOSTNAMES=10.0.0.11,10.0.0.12", "TPU_WORKER_ID=1");
      assertThat(boundFunctions()).hasSize(4);
      assertThat(nodes())
          .hasSize(4)
          .allSatisfy(node ->
              assertThat(Files.getPosixFilePermissions(node))
                  .isEqualTo(PosixFilePermissions.fromString("rw-rw-rw-")));
      assertThat(runningContainers()).containsExactly("tpu-bootd-telemetry", "tpu-bootd-vbar");
    }
  }

  @Test
  void healthEndpoint_tellsTheTruth() throws Exception {
    host.metadata().remove("tpu-env");
    try (var daemon = host.startDaemon()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(part(daemon, "environment")).isEqualTo("ok"));

      assertThat(daemon.get("/livez").statusCode()).isEqualTo(200);
      var notReady = daemon.get("/readyz?verbose");
      assertThat(notReady.statusCode()).isEqualTo(503);
      assertThat(notReady.body()).contains("[-] tpu-env waiting").contains("[+] environment ok");

      host.metadata().set("tpu-env", MadeUpHost.TPU_ENV);

      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      assertThat(daemon.get("/metrics").body()).contains("tpu_bootd_ready 1");
    }
  }

  @Test
  void vmWithoutTpu_isReadyAndInert_untilATpuComes() throws Exception {
    for (String bdf : host.sysfs().functions()) {
      host.sysfs().unplug(bdf);
    }
    host.metadata().remove("tpu-env");
    host.metadata().remove("worker-network-endpoints");
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      for (String name : List.of("tpu-env", "workload-env", "devices", "host", "container/vbar")) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(part(daemon, name)).as(name).isEqualTo("inert"));
      }
      assertThat(status(daemon, "tpu-env").path("summary").asText()).startsWith("no TPU VM");
      assertThat(daemon.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(host.file("/home/tpu-runtime/tpu-env")).doesNotExist();

      host.sysfs().write("/sys/bus/pci/rescan", "1");
      host.metadata().set("worker-network-endpoints", "w-0:1:10.0.0.11,w-1:2:10.0.0.12");
      host.metadata().set("tpu-env", MadeUpHost.TPU_ENV);

      for (String name : List.of("tpu-env", "workload-env", "devices", "host", "container/vbar")) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(part(daemon, name)).as(name).isEqualTo("ok"));
      }
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      assertThat(boundFunctions()).hasSize(4);
    }
  }

  @Test
  void attributeThatChanges_reachesTheFiles() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      long changed = System.nanoTime();
      host.metadata().set("tpu-env", MadeUpHost.TPU_ENV + "ADDED: 'later'\n");

      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .untilAsserted(() ->
              assertThat(host.file("/home/tpu-runtime/tpu-env"))
                  .content()
                  .endsWith("ADDED=\"later\"\n"));
      log.info(
          "measured: from the change to the file {} ms", (System.nanoTime() - changed) / 1_000_000);
    }
  }

  @Test
  void attributeThatChangesRightAfterAReload_reachesTheFiles() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      for (int round = 0; round < 5; round++) {
        String added = "ADDED_%d: 'x'\n".formatted(round);
        daemon.signal("HUP");
        host.metadata().set("tpu-env", MadeUpHost.TPU_ENV + added);

        String line = "ADDED_%d=\"x\"\n".formatted(round);
        // Far sooner than the long poll that is under way would end by itself.
        await()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(
                () -> assertThat(host.file("/home/tpu-runtime/tpu-env")).content().endsWith(line));
      }
    }
  }

  @Test
  void answersOfNonsense_leaveTheLastGoodFile() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      String before = Files.readString(host.file("/home/tpu-runtime/tpu-env"));

      host.metadata().set("tpu-env", "<!DOCTYPE html><html>no metadata</html>");

      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(part(daemon, "tpu-env")).isEqualTo("failed"));
      assertThat(host.file("/home/tpu-runtime/tpu-env")).hasContent(before);
    }
  }

  @Test
  void functionThatAppearsLater_isBound() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      String bdf = boundFunctions().getFirst();

      host.sysfs().unplug(bdf);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(part(daemon, "devices")).isEqualTo("degraded"));
      assertThat(daemon.isReady()).isFalse();
      List<String> added = host.sysfs().plugInChip();

      await().atMost(PATIENCE).untilAsserted(() -> assertThat(boundFunctions()).containsAll(added));
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
    }
  }

  @Test
  void sigterm_stopsTheContainersAndEndsWithZero() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      daemon.signal("TERM");

      assertThat(daemon.awaitEnd(PATIENCE)).isZero();
      assertThat(runningContainers()).isEmpty();
    }
  }

  @Test
  void sigusr1_leavesTheContainersAndTheNextDaemonAdoptsThem() throws Exception {
    try (var first = host.startDaemon()) {
      assertThat(first.awaitReady(PATIENCE)).isTrue();
      var before = startedContainers();

      first.signal("USR1");

      assertThat(first.awaitEnd(PATIENCE)).isZero();
      try (var second = host.startDaemon()) {
        assertThat(second.awaitReady(PATIENCE)).isTrue();
        assertThat(startedContainers()).isEqualTo(before);
      }
    }
  }

  @Test
  void sighup_takesAGoodConfigurationWithoutTouchingWhatDidNotChange() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      var before = startedContainers();

      host.configure("90-more", "files:\n  environment:\n    ADDED_BY_RELOAD: \"yes\"\n");
      daemon.signal("HUP");

      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(host.file("/etc/environment")).content().contains("ADDED_BY_RELOAD"));
      assertThat(daemon.isReady()).isTrue();
      assertThat(startedContainers()).isEqualTo(before);
    }
  }

  @Test
  void sighup_withABadConfigurationKeepsTheOldOneAndSaysSo() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();

      host.configure("90-bad", "devices:\n  writedeadline: 3s\n");
      daemon.signal("HUP");

      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(part(daemon, "config")).isEqualTo("degraded"));
      assertThat(status(daemon, "config").path("cause").asText())
          .contains("90-bad.yaml:2", "'devices.writedeadline'", "'devices.write-deadline'");
      assertThat(daemon.isReady()).isTrue();

      host.configure("90-bad", "");
      daemon.signal("HUP");

      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(part(daemon, "config")).isEqualTo("ok"));
    }
  }

  @Test
  void extraContainer_comesAndGoesWithTheConfiguration() throws Exception {
    host.configure("50-extra", "containers: {extra: {tool: {image: 'tools/t:1'}}}\n");
    try (var daemon = host.startDaemon()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(part(daemon, "container/tool")).isEqualTo("ok"));
      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
      var started = startedContainers();

      host.configure("50-extra", "");
      daemon.signal("HUP");

      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(runningContainers())
                  .containsExactly("tpu-bootd-telemetry", "tpu-bootd-vbar"));
      assertThat(started).containsAll(startedContainers());
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(daemon.get("/status").body()).doesNotContain("container/tool"));
      assertThat(host.file("/var/lib/tpu-bootd/containers/vbar.json")).isRegularFile();
    }
  }

  @Test
  void engineThatIsAbsent_holdsUpTheContainersOnly() throws Exception {
    host.engine().goAway();
    try (var daemon = host.startDaemon()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            assertThat(part(daemon, "devices")).isEqualTo("ok");
            assertThat(part(daemon, "container/vbar")).isEqualTo("waiting");
          });

      host.engine().comeBack();

      assertThat(daemon.awaitReady(PATIENCE)).isTrue();
    }
  }

  /** The state of a part; "no answer" while the daemon does not listen yet. */
  private static String part(DaemonProcess daemon, String name) throws Exception {
    try {
      return status(daemon, name).path("state").asText();
    } catch (ConnectException _) {
      return "no answer";
    }
  }

  private static JsonNode status(DaemonProcess daemon, String name) throws Exception {
    for (JsonNode part : new ObjectMapper().readTree(daemon.get("/status").body()).path("parts")) {
      if (part.path("name").asText().equals(name)) {
        return part;
      }
    }
    throw new AssertionError("/status has no part " + name);
  }

  private List<String> boundFunctions() throws IOException {
    try (var entries = Files.list(host.file("/sys/bus/pci/drivers/vfio-pci"))) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.contains(":"))
          .sorted()
          .toList();
    }
  }

  private List<Path> nodes() throws IOException {
    try (var entries = Files.list(host.file("/dev/vfio"))) {
      return entries.filter(entry -> entry.getFileName().toString().matches("[0-9]+")).toList();
    }
  }

  private List<String> runningContainers() {
    return host.engine().names().stream().filter(host.engine()::runs).sorted().toList();
  }

  /** Id and time of start of each container: what a restart would change. */
  private List<String> startedContainers() {
    return host.engine().names().stream()
        .sorted()
        .map(name -> host.engine().inspect(name).orElseThrow())
        .map(container ->
            container.path("Id").asText()
                + " "
                + container.path("State").path("StartedAt").asText())
        .toList();
  }
}
