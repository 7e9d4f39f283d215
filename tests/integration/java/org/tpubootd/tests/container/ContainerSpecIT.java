package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tpubootd.config.ContainerRights;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

/** What the engine is asked to make of the configuration. */
class ContainerSpecIT extends OnFakeEngine {

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
}
