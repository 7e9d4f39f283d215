package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.tpubootd.testbed.DaemonProcess;
import org.tpubootd.testbed.MadeUpHost;
import org.tpubootd.tests.RealEngine;

/** The whole daemon, as a process of its own, that keeps both containers on a real engine. */
final class DaemonOnRealEngine implements AutoCloseable {

  static final String VBAR = "tpu-bootd-vbar";
  static final String TELEMETRY = "tpu-bootd-telemetry";
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What a JVM opens and starts when it sees fit, such as a compiler's or a carrier's thread. */
  private static final int OF_THE_JVM = 5;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final RealEngine engine;
  private final MadeUpHost host;
  private final DaemonProcess daemon;

  /** What the process holds. */
  record Holds(long descriptors, long threads) {}

  DaemonOnRealEngine(RealEngine engine, Path work) throws IOException, InterruptedException {
    this.engine = engine;
    this.host = new MadeUpHost(Path.of(System.getProperty("tpubootd.project")), work);
    configure(RealEngine.IMAGE);
    this.daemon = host.startDaemon(Map.of("DOCKER_HOST", engine.address()));
  }

  /** Every run counts as healthy, so that no restart has to wait. */
  private void configure(String vbar) throws IOException {
    host.configure(
        "50-containers",
        """
        containers:
          healthy-after: 1ms
          stop-timeout: 2s
          vbar: {image: "%s", privileged: false}
          telemetry: {image: "%s", privileged: false}
        """
            .formatted(vbar, RealEngine.IMAGE));
  }

  /** Asks for another image of vBar, and has the daemon take it. */
  void changeImageOfVbar(String image) throws IOException, InterruptedException {
    configure(image);
    daemon.signal("HUP");
  }

  /** Waits until the one is made that is to take vBar's place. */
  void awaitNextOfVbar() {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> namesOfVbar("--all").contains(VBAR + "-next"));
  }

  /** Waits until the trial is over, whoever has won it, and takes this image for the winner's. */
  void awaitVbarAlone(String image) {
    awaitVbarAlone(image, PATIENCE);
  }

  void awaitVbarAlone(String image, Duration atMost) {
    Awaitility.await()
        .atMost(atMost)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> {
          JsonNode told = status("vbar");
          assertThat(namesOfVbar("--all")).as("%s", told).containsExactly(VBAR);
          assertThat(namesOfVbar("--filter=status=running")).as("%s", told).containsExactly(VBAR);
          assertThat(inspect(VBAR, "{{.Config.Image}}")).as("%s", told).isEqualTo(image);
        });
  }

  private List<String> namesOfVbar(String which) throws IOException, InterruptedException {
    return engine
        .docker("ps", which, "--filter=label=org.tpubootd.part=vbar", "--format={{.Names}}")
        .lines()
        .toList();
  }

  void awaitReady() throws InterruptedException {
    assertThat(daemon.awaitReady(PATIENCE)).as("ready").isTrue();
  }

  void awaitNotReady() {
    Awaitility.await().atMost(PATIENCE).until(() -> !daemon.isReady());
  }

  /** Waits until both run, and neither is the run of before. */
  void awaitBothRunAgain(List<String> before) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> running() == 2 && runs().stream().noneMatch(before::contains));
  }

  /** Id and start of each container of ours. */
  List<String> runs() throws IOException, InterruptedException {
    return List.of(run(VBAR), run(TELEMETRY));
  }

  String run(String name) throws IOException, InterruptedException {
    return inspect(name, "{{.Id}} {{.State.StartedAt}}");
  }

  String inspect(String name, String format) throws IOException, InterruptedException {
    return engine.docker("inspect", "--format", format, name);
  }

  /** Whether a container runs, and it is another run than this one. */
  boolean runsAnew(String name, String before) throws IOException, InterruptedException {
    String running = engine.docker("ps", "--filter=name=^/" + name + "$", "--format={{.Names}}");
    return running.equals(name) && !run(name).equals(before);
  }

  private long running() throws IOException, InterruptedException {
    return engine.docker("ps", "--quiet", "--filter=label=org.tpubootd.part").lines().count();
  }

  /** What /status says of a container. */
  JsonNode status(String part) throws IOException, InterruptedException {
    for (JsonNode one : JSON.readTree(daemon.get("/status").body()).path("parts")) {
      if (one.path("name").asText().equals("container/" + part)) {
        return one;
      }
    }
    throw new IOException("/status does not know container/" + part);
  }

  /** CPU time that the process has had so far. */
  Duration cpu() {
    return ProcessHandle.of(daemon.pid()).orElseThrow().info().totalCpuDuration().orElseThrow();
  }

  Holds holds() throws IOException {
    Path process = Path.of("/proc", String.valueOf(daemon.pid()));
    return new Holds(count(process.resolve("fd")), count(process.resolve("task")));
  }

  private static long count(Path directory) throws IOException {
    try (var entries = Files.list(directory)) {
      return entries.count();
    }
  }

  /** Nothing lost, no second copy, nothing left over, and the process holds what it held. */
  void assertAllAsBefore(Holds before) throws IOException, InterruptedException {
    awaitReady();
    assertThat(engine.docker("ps", "--all", "--format={{.Names}} {{.State}}").lines())
        .as("all containers of the engine")
        .containsExactlyInAnyOrder(VBAR + " running", TELEMETRY + " running");
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          Holds now = holds();
          assertThat(now.descriptors())
              .as("file descriptors")
              .isLessThanOrEqualTo(before.descriptors() + OF_THE_JVM);
          assertThat(now.threads())
              .as("threads")
              .isLessThanOrEqualTo(before.threads() + OF_THE_JVM);
        });
  }

  @Override
  public void close() throws IOException {
    daemon.close();
    host.close();
  }
}
