package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.container.EngineEvents;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Bell;
import org.tpubootd.core.Board;
import org.tpubootd.core.Component;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.core.Time;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.container.TestConfigs.One;

/** The same on a real Docker Engine, which is also hung, killed and started again. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.ROOT})
class RealEngineIT {

  private static final String VBAR = "tpu-bootd-vbar";
  private static final String TELEMETRY = "tpu-bootd-telemetry";

  private static RealEngine engine;
  private Bench bench;
  private final List<Thread> threads = new ArrayList<>();

  @BeforeAll
  static void startEngine() throws Exception {
    engine = RealEngine.start();
  }

  @AfterAll
  static void stopEngine() throws Exception {
    engine.close();
  }

  @BeforeEach
  void start() {
    bench = new Bench(engine.address(), Duration.ofSeconds(2));
  }

  @AfterEach
  void stop() throws Exception {
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
    for (String id : engine.docker("ps", "--all", "--quiet").lines().toList()) {
      engine.docker("rm", "--force", id);
    }
    bench.close();
  }

  @Test
  void killedByDockerKill_bothComeBack() throws Exception {
    Board board = follow(real("vbar"), real("telemetry"));
    awaitReady(board);
    String before = inspect(VBAR, "{{.Id}} {{.State.StartedAt}}");

    engine.docker("kill", VBAR, TELEMETRY);

    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> runs(VBAR) && runs(TELEMETRY) && !inspectRun(VBAR).equals(before));
    awaitReady(board);
  }

  @Test
  void removedByDockerRm_comesBack() throws Exception {
    Board board = follow(real("vbar"));
    awaitReady(board);

    engine.docker("rm", "--force", VBAR);

    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> runs(VBAR));
  }

  @Test
  void freshDaemon_adopts() throws Exception {
    bench.pass(real("vbar"));
    String before = inspectRun(VBAR);

    try (var next = new Bench(engine.address())) {
      assertThat(next.pass(real("vbar")).state()).isEqualTo(State.OK);
    }

    assertThat(inspectRun(VBAR)).isEqualTo(before);
  }

  @Test
  void otherSpec_replaced() throws Exception {
    bench.pass(real("vbar"));
    String before = inspectRun(VBAR);

    Finding found = bench.pass(real("vbar").image(RealEngine.OTHER_IMAGE));

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(inspectRun(VBAR)).isNotEqualTo(before);
    assertThat(inspect(VBAR, "{{.Config.Image}}")).isEqualTo(RealEngine.OTHER_IMAGE);
    assertThat(engine.docker("ps", "--all", "--format", "{{.Names}}")).isEqualTo(VBAR);
  }

  /** The engine makes such a container, and says 404 only when it is to start. */
  @Test
  void otherSpecWithAMissingNetwork_oldOneRunsOn() throws Exception {
    bench.pass(real("vbar"));
    String before = inspect(VBAR, "{{.Id}}");
    var changed = bench.supervise(real("vbar").network("typo-net"));

    for (int pass = 0; pass < 4; pass++) {
      Finding found = bench.pass(changed);
      assertThat(found.state()).isEqualTo(State.DEGRADED);
      assertThat(found.cause()).contains("network typo-net not found");
      assertThat(runs(VBAR)).isTrue();
      assertThat(inspect(VBAR, "{{.Id}}")).isEqualTo(before);
      bench.time.forward(Duration.ofMinutes(1));
    }
  }

  @Test
  void madeAsAskedFor() throws Exception {
    bench.pass(real("vbar").environment(Map.of("A", "x y")));

    String host =
        "{{.HostConfig.NetworkMode}} {{.HostConfig.LogConfig.Type}}"
            + " {{.HostConfig.LogConfig.Config}} {{json .Config.Env}}";
    assertThat(inspect(VBAR, host))
        .isEqualTo("host json-file map[max-file:3 max-size:10485760] [\"A=x y\"]");
    assertThat(inspect(VBAR, "{{.HostConfig.RestartPolicy.Name}}")).isIn("", "no");
  }

  @Test
  void foreignContainerWithOurName_notTouched() throws Exception {
    engine.docker("run", "--detach", "--network=host", "--name=" + VBAR, RealEngine.IMAGE);
    String before = inspectRun(VBAR);

    assertThat(bench.pass(real("vbar")).state()).isEqualTo(State.INERT);
    assertThat(bench.pass(real("vbar").disabled()).state()).isEqualTo(State.INERT);

    assertThat(inspectRun(VBAR)).isEqualTo(before);
  }

  @Test
  void imageCommittedFromOurContainer_whatRunsFromItIsNotTouched() throws Exception {
    bench.pass(real("vbar"));
    engine.docker("commit", VBAR, "mydebug");
    engine.docker("run", "--detach", "--network=host", "--name=users-own", "mydebug");
    String before = inspectRun("users-own");

    assertThat(bench.pass(real("vbar")).state()).isEqualTo(State.OK);
    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();
    bench.pass(real("vbar").disabled());

    assertThat(runs("users-own")).isTrue();
    assertThat(inspectRun("users-own")).isEqualTo(before);
  }

  @Test
  void crash_showsExitCodeAndLastLines() throws Exception {
    var vbar = bench.supervise(real("vbar").command("/bin/sh", "-c", "echo 'out of luck'; exit 3"));
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> bench.pass(vbar).state() == State.DEGRADED);

    Finding found = bench.pass(vbar);

    assertThat(found.cause()).contains("exit code 3");
    assertThat(Bench.fact(found, "lastLog").toString()).contains("out of luck");
  }

  @Test
  void programMissing_toldInTheEnginesWords() throws Exception {
    Finding found = bench.pass(real("vbar").command("/no/such/program"));

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.cause()).contains("/no/such/program");
  }

  @Test
  void configFile_isThereReadOnly() throws Exception {
    var file = Files.writeString(engine.directory().resolve("otel.yaml"), "receivers: {}\n");
    bench.pass(
        real("vbar")
            .mounting(file.toString(), "/conf/otel.yaml")
            .command(
                "/bin/sh",
                "-c",
                "/bin/busybox cat /conf/otel.yaml; echo x > /conf/otel.yaml;"
                    + " exec /bin/busybox sleep 100000"));

    Awaitility.await()
        .untilAsserted(() ->
            assertThat(engine.docker("logs", VBAR))
                .contains("receivers: {}")
                .contains("Read-only file system"));
  }

  @Test
  void registryAway_toldApartFromNoSuchImage() throws Exception {
    Finding found = bench.pass(real("vbar").image("127.0.0.1:1/vbar:1"));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("connection refused");
    assertThat(found.action()).contains("reaches the registry");
  }

  @Test
  void stopAll_stopsBothAndTheNextStartStartsThem() throws Exception {
    bench.pass(real("vbar"));
    bench.pass(real("telemetry"));

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();
    assertThat(engine.docker("ps", "--quiet")).isEmpty();

    try (var next = new Bench(engine.address())) {
      Finding found = next.pass(real("vbar"));
      assertThat(found.state()).isEqualTo(State.OK);
      assertThat(found.notes()).isEmpty();
    }
  }

  /** The engine goes on with a start whose caller is gone. */
  @Test
  void stopAll_justAfterTheContainerWasMade_nothingRunsAfterwards() throws Exception {
    for (int i = 0; i < 3; i++) {
      var vbar = bench.supervise(real("vbar"));
      var loop = Thread.ofVirtual().start(() -> passUntilInterrupted(vbar));
      Awaitility.await()
          .pollInterval(Duration.ofMillis(5))
          .until(() -> !engine.docker("ps", "--all", "--quiet").isEmpty());
      loop.interrupt();
      loop.join();

      assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();

      // To inspect it, the engine waits for whatever goes on with it.
      assertThat(inspect(VBAR, "{{.State.Running}}")).isEqualTo("false");
      engine.docker("rm", VBAR);
    }
  }

  private void passUntilInterrupted(Component container) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        ControlLoop.look(container, _ -> {});
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void hungEngine_passEndsInTimeAndTheContainerIsNotTouched() throws Exception {
    var vbar = bench.supervise(real("vbar"));
    bench.pass(vbar);
    String before = inspectRun(VBAR);
    engine.hang();
    Finding hung;
    List<String> problems;
    try {
      hung = bench.pass(vbar);
      problems = new ContainerStop(bench.engine, bench.limits).stopAll();
    } finally {
      engine.goOn();
    }

    assertThat(hung.state()).isEqualTo(State.WAITING);
    assertThat(hung.cause()).contains("did not answer within 2000 ms");
    assertThat(problems).singleElement().asString().contains("did not answer within");
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(inspectRun(VBAR)).isEqualTo(before);
  }

  @Test
  void killedEngine_waitsAndHealsWhenItIsBack() throws Exception {
    Board board = follow(real("vbar"), real("telemetry"));
    awaitReady(board);

    engine.killTheEngine();
    await(board, State.WAITING);
    engine.comeBack();

    awaitReady(board);
    assertThat(runs(VBAR)).isTrue();
    assertThat(runs(TELEMETRY)).isTrue();
    assertThat(engine.docker("ps", "--all", "--quiet").lines()).hasSize(2);
  }

  /** No assertion on the time, only a report: machines differ. */
  @Test
  void deathToStart_isReported(TestReporter reporter) throws Exception {
    var decided = Collections.synchronizedList(new ArrayList<Instant>());
    bench.close();
    bench = new Bench(engine.address(), TestConfigs.everyRunIsHealthy());
    bench.gate =
        () -> {
          decided.add(Instant.now());
          return Optional.empty();
        };
    Board board = follow(real("vbar"));
    awaitReady(board);
    var took = new ArrayList<Long>();
    for (int i = 0; i < 10; i++) {
      String before = inspectRun(VBAR);
      decided.clear();
      engine.docker("kill", VBAR);
      Awaitility.await().until(() -> runs(VBAR) && !inspectRun(VBAR).equals(before));
      took.add(Duration.between(lastDeath(), decided.getFirst()).toMillis());
    }
    reporter.publishEntry("from a container's die event to the start call, ms", took.toString());
    assertThat(took).hasSize(10);
  }

  private static Instant lastDeath() throws Exception {
    String nanos =
        engine
            .docker(
                "events",
                "--since=1m",
                "--until=" + Instant.now(),
                "--filter=event=die",
                "--format={{.TimeNano}}")
            .lines()
            .toList()
            .getLast();
    return Instant.ofEpochSecond(0, Long.parseLong(nanos));
  }

  private static One real(String name) {
    return vbar().name(name).image(RealEngine.IMAGE).unprivileged();
  }

  /** Loops and events, wired as the daemon does it. */
  private Board follow(One... ones) {
    var board = new Board(Time.system());
    var bells = new HashMap<String, Bell>();
    for (One one : ones) {
      Component component = bench.supervise(one);
      board.enlist(component.part());
      var bell = new Bell();
      bells.put(one.config().name(), bell);
      threads.add(
          Thread.ofVirtual()
              .start(
                  new ControlLoop(
                      component,
                      board,
                      new Backoff(Duration.ofMillis(200), Duration.ofSeconds(2), new Random(1)),
                      Time.system(),
                      bell)));
    }
    threads.add(
        Thread.ofVirtual()
            .start(
                new EngineEvents(
                    bench.engine,
                    Duration.ofSeconds(2),
                    part -> Optional.ofNullable(bells.get(part)).ifPresent(Bell::ring),
                    () -> bells.values().forEach(Bell::ring),
                    Time.system(),
                    new Random(2))));
    return board;
  }

  private static void awaitReady(Board board) {
    await(board, State.OK);
  }

  private static void await(Board board, State state) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(board.conditions())
                .allSatisfy(condition -> assertThat(condition.state()).isEqualTo(state)));
  }

  private static boolean runs(String name) throws Exception {
    return engine
            .docker("ps", "--quiet", "--filter=status=running", "--filter=name=^/" + name + "$")
            .length()
        > 0;
  }

  private static String inspectRun(String name) throws Exception {
    return inspect(name, "{{.Id}} {{.State.StartedAt}}");
  }

  private static String inspect(String name, String format) throws Exception {
    return engine.docker("inspect", "--format", format, name);
  }
}
