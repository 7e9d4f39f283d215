package org.tpubootd.tests.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.testbed.MadeUpHost;
import org.tpubootd.tests.daemon.Commands.Outcome;

/** The verbs of the command line, each a process of its own, on the test-bed. */
class CommandLineIT {

  private static final Path PROJECT = Path.of(System.getProperty("tpubootd.project"));

  private MadeUpHost host;
  private Commands commands;

  @BeforeEach
  void makeHost(@TempDir Path work) throws IOException {
    host = new MadeUpHost(PROJECT, work);
    commands = new Commands(host, work);
  }

  @AfterEach
  void closeHost() throws IOException {
    host.close();
  }

  private Outcome run(String... arguments) throws Exception {
    return commands.run(arguments);
  }

  @Test
  void apply_makesEverythingRightAndEndsWithZero() throws Exception {
    Outcome applied = run("apply");

    assertThat(applied.exitCode()).as(applied.toString()).isZero();
    assertThat(applied.out()).contains("Ready.");
    assertThat(host.file("/home/tpu-runtime/tpu-env")).exists();
    assertThat(host.engine().runs("tpu-bootd-vbar")).isTrue();
  }

  @Test
  void apply_ofNamedPartsDoesOnlyThose() throws Exception {
    Outcome applied = run("apply", "tpu-env", "environment");

    assertThat(applied.exitCode()).isZero();
    assertThat(host.file("/home/tpu-runtime/tpu-env")).exists();
    assertThat(host.file("/run/tpu-bootd/workload.env")).doesNotExist();
    assertThat(host.engine().names()).isEmpty();
  }

  @Test
  void apply_endsWithOneWhereARequiredPartIsNotOk() throws Exception {
    host.metadata().remove("tpu-env");

    Outcome applied = run("apply", "tpu-env");

    assertThat(applied.exitCode()).isEqualTo(1);
    assertThat(applied.out()).contains("Not ready: tpu-env.");
  }

  @Test
  void apply_ofAnUnknownPartNamesTheKnownOnes() throws Exception {
    Outcome applied = run("apply", "device");

    assertThat(applied.exitCode()).isEqualTo(2);
    assertThat(applied.err())
        .contains("no part 'device'")
        .contains("the parts are devices, tpu-env");
  }

  @Test
  void plan_showsWhatWouldBeDoneAndDoesNothing() throws Exception {
    Outcome plan = run("plan");

    assertThat(plan.exitCode()).as(plan.toString()).isZero();
    assertThat(plan.out())
        .contains("/home/tpu-runtime/tpu-env")
        .contains("vfio-pci")
        .contains("because");
    assertThat(host.file("/home/tpu-runtime/tpu-env")).doesNotExist();
    assertThat(host.file("/etc/environment")).doesNotExist();
    assertThat(host.sysfs().driver(host.sysfs().functions().getFirst())).isEmpty();
    assertThat(host.engine().names()).isEmpty();
  }

  @Test
  void plan_hasNothingToDoAfterApply() throws Exception {
    assertThat(run("apply").exitCode()).isZero();

    JsonNode plans = new ObjectMapper().readTree(run("plan", "--json").out());

    assertThat(StreamSupport.stream(plans.spliterator(), false))
        .isNotEmpty()
        .allSatisfy(plan -> assertThat(plan.path("steps")).as(plan.toString()).isEmpty());
  }

  @Test
  void status_withoutADaemonEndsWithThree() throws Exception {
    Outcome status = run("status");

    assertThat(status.exitCode()).isEqualTo(3);
    assertThat(status.err()).contains("does not answer");
  }

  @Test
  void status_isTheTableOrTheDocumentOfTheDaemon() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(Duration.ofSeconds(60))).isTrue();

      Outcome table = run("status");
      assertThat(table.exitCode()).isZero();
      assertThat(table.out().lines())
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
          .anySatisfy(line -> assertThat(line).startsWith("devices").contains("ok"));
      assertThat(table.out()).doesNotContain("\u001b");

      JsonNode document = new ObjectMapper().readTree(run("status", "--json").out());
      assertThat(document.path("ready").asBoolean()).isTrue();
    }
  }

  @Test
  void status_ofAHostThatIsNotReadyEndsWithOne() throws Exception {
    host.metadata().remove("tpu-env");
    try (var _ = host.startDaemon()) {
      await().atMost(Duration.ofSeconds(60)).until(() -> run("status").exitCode() == 1);
    }
  }

  @Test
  void metadataGet_printsTheValue() throws Exception {
    host.metadata().set("some-key", "some value");

    assertThat(run("metadata", "get", "some-key")).isEqualTo(new Outcome(0, "some value\n", ""));
  }

  @ParameterizedTest(name = "default ''{0}''")
  @ValueSource(strings = {"fallback", ""})
  void metadataGet_printsTheDefaultWhereThereIsNoKey(String fallback) throws Exception {
    assertThat(run("metadata", "get", "no-such-key", fallback))
        .isEqualTo(new Outcome(0, fallback + "\n", ""));
  }

  @Test
  void metadataGet_withoutADefaultEndsWithOneAndAMessage() throws Exception {
    Outcome got = run("metadata", "get", "no-such-key");

    assertThat(got.exitCode()).isEqualTo(1);
    assertThat(got.out()).isEmpty();
    assertThat(got.err()).contains("no-such-key");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      textBlock =
          """
          apply
          plan
          config
          run
          """)
  void badConfiguration_endsEveryVerbWithTwoAndNamesFileLineAndKey(String verb) throws Exception {
    host.configure("90-bad", "containers:\n  vbar:\n    imgae: x\n");

    Outcome outcome = run(verb);

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("/etc/tpu-bootd/config.d/90-bad.yaml:3")
        .contains("'containers.vbar.imgae'")
        .contains("'containers.vbar.image'");
  }

  @Test
  void badConfiguration_doesNotKeepStatusFromAskingTheDaemon() throws Exception {
    try (var daemon = host.startDaemon()) {
      assertThat(daemon.awaitReady(Duration.ofSeconds(60))).isTrue();
      host.configure("00-port", "health:\n  port: " + host.port() + "\n");
      host.configure("90-bad", "imgae: x\n");

      // Where the port is the usual one, the defaults lead to the daemon; else they cannot.
      Outcome status = run("status");

      assertThat(status.err())
          .contains("unknown key 'imgae'")
          .contains("going on with the defaults");
      assertThat(status.exitCode()).isIn(0, 3);
    }
  }

  @Test
  void badConfiguration_doesNotKeepMetadataGetFromAnswering() throws Exception {
    host.configure("90-bad", "health:\n  prot: 1\n");
    host.metadata().set("some-key", "some value");

    // By the environment, which is not read from a file.
    Outcome got = run("metadata", "get", "some-key");

    assertThat(got.out()).isEqualTo("some value\n");
    assertThat(got.exitCode()).isZero();
    assertThat(got.err()).contains("unknown key 'health.prot'");
  }

  @ParameterizedTest(name = "--root ''{0}''")
  @ValueSource(strings = {"", "/no/such/directory", "/etc/passwd"})
  void root_thatIsNoDirectoryEndsWithTwo(String root) throws Exception {
    ProcessBuilder command = host.command("config");
    command.command().set(command.command().indexOf("--root") + 1, root);

    Process process = command.redirectErrorStream(true).start();

    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains("is not a directory");
    assertThat(process.waitFor()).isEqualTo(2);
  }

  @Test
  void root_hasItsOwnEngineUnlessTheEnvironmentNamesOne() throws Exception {
    ProcessBuilder command = host.command("plan", "container", "--json");
    command.environment().remove("DOCKER_HOST");

    Process process = command.start();
    JsonNode plans = new ObjectMapper().readTree(process.getInputStream());

    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(plans.path(0).path("cause").asText()).contains(host.root() + "/var/run/docker.sock");
  }

  @Test
  void plan_ofEverythingHasTheContainersThatFollowTheDevices() throws Exception {
    assertThat(run("plan").out()).contains("tpu-bootd-vbar");
  }

  @Test
  void apply_ofAContainerAloneWaitsForDevicesThatAreNotBound() throws Exception {
    Outcome applied = run("apply", "container/vbar");

    assertThat(applied.exitCode()).isEqualTo(1);
    assertThat(applied.out()).contains("waits for the devices");
    assertThat(host.engine().names()).isEmpty();
  }

  @Test
  void configJson_hasTypedValues() throws Exception {
    JsonNode settings = new ObjectMapper().readTree(run("config", "--json").out());

    assertThat(StreamSupport.stream(settings.spliterator(), false))
        .anySatisfy(setting -> {
          assertThat(setting.path("key").asText()).isEqualTo("health.port");
          assertThat(setting.path("value").isInt()).isTrue();
        })
        .anySatisfy(setting -> {
          assertThat(setting.path("key").asText()).isEqualTo("metadata.host");
          assertThat(setting.path("origin").asText())
              .isEqualTo("GCE_METADATA_HOST in the environment");
        });
  }

  @Test
  void config_tellsWhereEachValueComesFrom() throws Exception {
    host.configure("90-more", "devices:\n  write-deadline: 3s\n");

    Outcome config = run("config");

    assertThat(config.exitCode()).isZero();
    assertThat(config.out())
        .contains("# /etc/tpu-bootd/config.d/90-more.yaml:2\ndevices.write-deadline = 3s\n")
        .contains("# default\nlog = info\n");
  }

  @Test
  void version_isPrinted() throws Exception {
    // A command without a verb takes no root: so not by run().
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                host.jar().toString(),
                "--version")
            .start();

    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .matches("tpu-bootd [0-9]+\\.[0-9]+\\.[0-9]+\n");
    assertThat(process.waitFor()).isZero();
  }
}
