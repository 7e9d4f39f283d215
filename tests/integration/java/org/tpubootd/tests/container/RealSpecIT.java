package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tpubootd.config.ContainerRights;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.tests.Measured;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.container.TestConfigs.One;

/** What a specification asks for and how one takes the place of another, on a real engine. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.ROOT})
class RealSpecIT {

  private static final String VBAR = "tpu-bootd-vbar";
  private static final String ARCHIVED = "tpu-bootd-test-archived:1";

  private static RealEngine engine;

  @TempDir Path root;
  private Bench bench;

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
    bench = new Bench(engine.address(), Duration.ofSeconds(10));
    bench.root = new HostRoot(root);
  }

  @AfterEach
  void stop() throws Exception {
    for (String id : engine.docker("ps", "--all", "--quiet").lines().toList()) {
      engine.docker("rm", "--force", id);
    }
    bench.close();
  }

  @Test
  void newSpec_takesThePlaceWithinASecond() throws Exception {
    bench.pass(real());
    var changed = bench.supervise(real().environment(Map.of("NEW", "1")));

    assertThat(bench.pass(changed).state()).isEqualTo(State.OK);

    Instant stopped = instant(VBAR, "{{.State.FinishedAt}}");
    Instant started = instant(VBAR + "-next", "{{.State.StartedAt}}");
    Duration between = Duration.between(stopped, started);
    Measured.tell("from the end of the old container to the start of the new one", between);
    // No timing but a promise: for so long at most is a host without its container.
    assertThat(between).isPositive().isLessThan(Duration.ofSeconds(1));
    bench.time.forward(Duration.ofSeconds(10));
    bench.pass(changed);
    assertThat(names()).containsExactly(VBAR);
    assertThat(inspect(VBAR, "{{.Config.Env}}")).contains("NEW=1");
  }

  @Test
  void newSpecThatEndsAtOnce_oldOneComesBack() throws Exception {
    bench.pass(real());
    String id = inspect(VBAR, "{{.Id}}");
    var changed = bench.supervise(real().command("/bin/sh", "-c", "echo no such flag; exit 7"));
    bench.pass(changed);
    Awaitility.await().until(() -> bench.pass(changed).state() == State.DEGRADED);

    Finding found = bench.pass(changed);

    assertThat(found.cause()).contains("exit code 7");
    assertThat((List<?>) Bench.fact(found, "lastLog")).last().isEqualTo("no such flag");
    assertThat(inspect(VBAR, "{{.Id}} {{.State.Running}}")).isEqualTo(id + " true");
    assertThat(names()).containsExactly(VBAR);
  }

  @Test
  void newSpecThatCannotBeStarted_oldOneComesBack() throws Exception {
    bench.pass(real());
    String id = inspect(VBAR, "{{.Id}}");
    var changed = bench.supervise(real().command("/no/such/program"));

    Finding found = bench.pass(changed);
    bench.pass(changed);

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.cause()).contains("/no/such/program");
    assertThat(inspect(VBAR, "{{.Id}} {{.State.Running}}")).isEqualTo(id + " true");
    assertThat(names()).containsExactly(VBAR);
  }

  @Test
  void rights_areWhatTheEngineMakesOfThem() throws Exception {
    Files.writeString(Files.createDirectories(root.resolve("data")).resolve("f"), "content");

    Finding found =
        bench.pass(
            real()
                .rights(
                    new ContainerRights(
                        "2000",
                        "100",
                        List.of("44"),
                        List.of("/data:/in/data:ro"),
                        List.of(),
                        new BigDecimal("0.5"),
                        Map.of("nofile", "1000:2000"),
                        ContainerRights.PidMode.HOST)));

    assertThat(found.state()).as(String.valueOf(found.cause())).isEqualTo(State.OK);
    assertThat(engine.docker("exec", VBAR, "/bin/busybox", "id")).contains("uid=2000", "gid=100");
    assertThat(engine.docker("exec", VBAR, "/bin/busybox", "id", "-G")).contains("44");
    assertThat(engine.docker("exec", VBAR, "/bin/busybox", "cat", "/in/data/f"))
        .isEqualTo("content");
    assertThat(engine.docker("exec", VBAR, "/bin/sh", "-c", "ulimit -Sn; ulimit -Hn"))
        .isEqualTo("1000\n2000");
    assertThat(inspect(VBAR, "{{.HostConfig.NanoCpus}} {{.HostConfig.PidMode}}"))
        .isEqualTo("500000000 host");
  }

  /** By the kernel itself. Without its memory cgroup the engine can set no limit. */
  @Test
  void memoryRunsOut_toldAsSuch() throws Exception {
    assumeTrue(engine.docker("info", "--format", "{{.MemoryLimit}}").equals("true"));
    var hungry =
        bench.supervise(
            real().memory(16 << 20).command("/bin/sh", "-c", "echo hungry; exec tail /dev/zero"));

    Awaitility.await()
        .untilAsserted(() -> {
          bench.time.forward(Duration.ofMinutes(1));
          assertThat(bench.pass(hungry).cause())
              .contains("exit code 137 (killed because its memory ran out)");
        });
  }

  @ParameterizedTest
  @CsvSource({"a.tar, cat", "a.tar.gz, gzip -c"})
  void archive_loadedWhereTheImageIsMissing(String name, String pack) throws Exception {
    Path directory = Files.createDirectories(root.resolve("usr/share/tpu-bootd/images"));
    engine.docker("tag", RealEngine.IMAGE, ARCHIVED);
    Path plain = root.resolve("plain.tar");
    engine.docker("save", "--output", plain.toString(), ARCHIVED);
    engine.docker("rmi", ARCHIVED);
    Process packing =
        new ProcessBuilder("sh", "-c", pack + " < \"$1\"", "pack", plain.toString())
            .redirectOutput(directory.resolve(name).toFile())
            .start();
    assertThat(packing.waitFor()).isZero();

    Finding found = bench.pass(real().image(ARCHIVED).pull(Pull.NEVER));

    assertThat(found.state()).as(String.valueOf(found.cause())).isEqualTo(State.OK);
    assertThat(inspect(VBAR, "{{.Config.Image}} {{.State.Running}}")).isEqualTo(ARCHIVED + " true");
    engine.docker("rm", "--force", VBAR);
    engine.docker("rmi", ARCHIVED);
  }

  @Test
  void archiveThatIsNone_toldInTheEnginesWords() throws Exception {
    Path directory = Files.createDirectories(root.resolve("usr/share/tpu-bootd/images"));
    Files.writeString(directory.resolve("a.tar"), "no tar at all");
    Files.writeString(directory.resolve("a.tar.ref"), ARCHIVED);

    Finding found = bench.pass(real().image(ARCHIVED).pull(Pull.NEVER));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(bench.pass(real().image(ARCHIVED).pull(Pull.NEVER)).notes())
        .singleElement()
        .asString()
        .startsWith("/usr/share/tpu-bootd/images/a.tar is not used: ");
  }

  private static One real() {
    return vbar().image(RealEngine.IMAGE).unprivileged();
  }

  private static Instant instant(String name, String template) throws Exception {
    return Instant.parse(inspect(name, template));
  }

  private static String inspect(String name, String template) throws Exception {
    return engine.docker("inspect", "--format", template, name);
  }

  private static List<String> names() throws Exception {
    return engine.docker("ps", "--all", "--format", "{{.Names}}").lines().toList();
  }
}
