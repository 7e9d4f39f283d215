package org.tpubootd.tests.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.LogSetup;
import org.tpubootd.cli.TpuBootd;
import org.tpubootd.config.LogLevel;
import org.tpubootd.testbed.FakeEngine;
import org.tpubootd.testbed.FakeMetadata;
import org.tpubootd.testbed.ImageArchive;

/** {@code tpu-bootd images} on an engine and a metadata server of the test-bed. */
class ImagesIT {

  private static final String VBAR = "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1";
  private static final String TELEMETRY =
      "gcr.io/cloud-tpu-v2-images/ai-telemetry-collector:latest";
  private static final String OWN = "/var/lib/tpu-bootd/images/";
  private static final String BAKED = "/usr/share/tpu-bootd/images/";

  @TempDir Path root;
  private FakeEngine engine;
  private FakeMetadata metadata;

  /** What came of a command. */
  private record Outcome(int exitCode, String out, String err) {}

  @BeforeEach
  void startParts() throws IOException {
    // It would go before the engine of the test.
    assertThat(System.getenv("DOCKER_HOST")).as("DOCKER_HOST, which has to be unset").isNull();
    engine = FakeEngine.start(Files.createDirectories(file("/var/run")).resolve("docker.sock"));
    metadata = FakeMetadata.start(0);
    configure("00-metadata", "metadata: {host: '" + metadata.host() + "'}\n");
  }

  @AfterEach
  void stopParts() throws IOException {
    LogSetup.level(LogLevel.INFO);
    engine.close();
    metadata.close();
  }

  private Path file(String absolute) {
    return root.resolve(absolute.substring(1));
  }

  private void configure(String name, String yaml) throws IOException {
    Path dropIns = Files.createDirectories(file("/etc/tpu-bootd/config.d"));
    Files.writeString(dropIns.resolve(name + ".yaml"), yaml);
  }

  /** In this JVM: a process for each would take most of the time. */
  private Outcome images(String... arguments) {
    var all = new ArrayList<>(List.of("images"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--root", root.toString()));
    var out = new StringWriter();
    var err = new StringWriter();
    int code = TpuBootd.run(new PrintWriter(out), new PrintWriter(err), all.toArray(String[]::new));
    return new Outcome(code, out.toString(), err.toString());
  }

  private Path archive(String path, String image) throws IOException {
    Path file = file(path);
    Files.createDirectories(file.resolveSibling("."));
    return Files.write(file, ImageArchive.of(image));
  }

  private static void sum(Path archive, String sum) throws IOException {
    Files.writeString(archive.resolveSibling(archive.getFileName() + ".sha256"), sum + "\n");
  }

  private static String sha256(Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }

  /** What the engine was asked to change. */
  private List<String> changes() {
    return engine.received().stream()
        .filter(one -> !one.method().equals("GET") && !one.method().equals("HEAD"))
        .map(one -> one.method() + " " + one.path())
        .toList();
  }

  @Test
  void list_tellsWhatTheEngineHasAndWhatIsMissing() throws Exception {
    engine.addImage(VBAR);

    Outcome list = images("list");

    assertThat(list.exitCode()).as(list.toString()).isEqualTo(1);
    assertThat(list.out())
        .isEqualTo(
            """
            CONTAINER    IMAGE
            vbar         there    gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1
                000000010000, 123 MB, made 2026-11-01
            telemetry    missing  gcr.io/cloud-tpu-v2-images/ai-telemetry-collector:latest

            Missing: telemetry.
            do:    tpu-bootd images pull
            """);
    assertThat(changes()).isEmpty();
  }

  @Test
  void list_allThereOrInAnArchive_endsWithZero() throws Exception {
    engine.addImage(TELEMETRY);
    Path file = archive(BAKED + "vbar.tar", VBAR);
    sum(file, sha256(file));

    Outcome list = images("list");

    assertThat(list.exitCode()).as(list.toString()).isZero();
    assertThat(list.out())
        .contains(
            "vbar         archive  " + VBAR + "\n    in /usr/share/tpu-bootd/images/vbar.tar\n")
        .contains(
            "ARCHIVES\n/usr/share/tpu-bootd/images/vbar.tar\n    7 kB, its SHA-256 is right\n")
        .contains("All images are here.");
  }

  @Test
  void list_wrongSum_archiveIsNotCounted() throws Exception {
    engine.addImage(TELEMETRY);
    sum(archive(OWN + "vbar.tar", VBAR), "0".repeat(64));

    Outcome list = images("list");

    assertThat(list.exitCode()).isEqualTo(1);
    assertThat(list.out())
        .contains("vbar         missing")
        .contains("its SHA-256 is not right")
        .contains("not used: its SHA-256 is\n");
    assertThat(list.out().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void list_withoutAnEngine_stillTellsOfArchives() throws Exception {
    archive(BAKED + "vbar.tar", VBAR);
    engine.goAway();

    Outcome list = images("list");

    assertThat(list.exitCode()).isEqualTo(1);
    assertThat(list.out())
        .contains("vbar         archive")
        .contains("telemetry    unknown")
        .contains("no SHA-256 beside it")
        .contains("The engine does not answer")
        .contains("DOCKER_HOST");
    assertThat(list.err()).isEmpty();
  }

  @Test
  void list_forMachines() throws Exception {
    images("pull", "vbar");
    archive(BAKED + "telemetry.tar", TELEMETRY);

    JsonNode list = new ObjectMapper().readTree(images("list", "--json").out());

    JsonNode vbar = list.path("images").path(0);
    assertThat(vbar.path("container").asText()).isEqualTo("vbar");
    assertThat(vbar.path("image").asText()).isEqualTo(VBAR);
    assertThat(vbar.path("state").asText()).isEqualTo("there");
    assertThat(vbar.path("onEngine").path("id").asText()).startsWith("sha256:");
    assertThat(vbar.path("onEngine").path("digests").path(0).asText())
        .startsWith("gcr.io/cloud-tpu-v2-images/vbar_control_agent@sha256:");
    assertThat(vbar.path("onEngine").path("size").asLong()).isEqualTo(123_456_789);
    assertThat(list.path("images").path(1).path("archive").asText())
        .isEqualTo("/usr/share/tpu-bootd/images/telemetry.tar");
    assertThat(list.path("archives").path(0).path("sum").asText()).isEqualTo("none");
    assertThat(list.path("trouble").isNull()).isTrue();
    assertThat(list.path("complete").isBoolean()).isTrue();
    assertThat(list.path("complete").asBoolean()).isTrue();
  }

  @Test
  void list_imageThatTpuEnvNames() throws Exception {
    configure("50", "containers: {vbar: {image-from-tpu-env: true}}\n");
    metadata.set("tpu-env", "VBARCONTROL_AGENT_DOCKER_URL: 'gcr.io/named/by-it:7'\n");

    assertThat(images("list").out()).contains("missing  gcr.io/named/by-it:7");
  }

  @Test
  void list_switchedOffIsNotNeeded() throws Exception {
    configure("50", "containers: {telemetry: {enabled: false}}\n");
    engine.addImage(VBAR);

    Outcome list = images("list");

    assertThat(list.exitCode()).isZero();
    assertThat(list.out()).doesNotContain("telemetry");
  }

  @Test
  void pull_getsWhatIsSwitchedOn() throws Exception {
    configure(
        "50",
        """
        containers:
          telemetry: {enabled: false}
          extra: {mine: {image: "registry.example.com/mine:3"}}
        """);

    Outcome pull = images("pull");

    assertThat(pull.exitCode()).as(pull.toString()).isZero();
    assertThat(pull.out())
        .contains(VBAR + ": pulled\n    sha256:")
        .contains("registry.example.com/mine:3: pulled\n");
    assertThat(engine.hasImage(TELEMETRY)).isFalse();
    assertThat(changes()).containsExactly("POST /images/create", "POST /images/create");
  }

  @Test
  void pull_byNameOfAContainerOrAnImage() throws Exception {
    Outcome pull = images("pull", "telemetry", "registry.example.com/other:1");

    assertThat(pull.exitCode()).as(pull.toString()).isZero();
    assertThat(engine.hasImage(TELEMETRY)).isTrue();
    assertThat(engine.hasImage("registry.example.com/other:1")).isTrue();
    assertThat(engine.hasImage(VBAR)).isFalse();
  }

  @Test
  void pull_tokenGoesToGooglesRegistryOnly() throws Exception {
    metadata.serviceAccount("made-up", Duration.ofHours(1));

    images("pull", "vbar", "registry.example.com/other:1");

    assertThat(engine.received("POST", "/images/create"))
        .extracting(one -> one.headers().containsKey("x-registry-auth"))
        .containsExactly(true, false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"telemety", "", "vbar-next"})
  void pull_unknownNameIsNotAskedForAtDockerHub(String name) throws Exception {
    Outcome pull = images("pull", "vbar", name);

    assertThat(pull.exitCode()).isEqualTo(2);
    assertThat(pull.err()).contains("no container '" + name + "'").contains("vbar, telemetry");
    assertThat(engine.received()).isEmpty();
  }

  @Test
  void pull_whatFailsSaysWhatToDoAndTheOthersArePulled() throws Exception {
    engine.addImage(VBAR);
    engine.faults().failPulls("unauthorized: authentication required");

    Outcome pull = images("pull", "vbar", "telemetry");

    assertThat(pull.exitCode()).isEqualTo(1);
    assertThat(pull.err())
        .contains("the image " + VBAR + " cannot be pulled: unauthorized")
        .contains("the image " + TELEMETRY + " cannot be pulled")
        .contains("artifactregistry.reader");
  }

  @Test
  void pull_thatStallsIsGivenUp() throws Exception {
    configure("50", "containers: {pull-stall: 1s}\n");
    engine.faults().stallPulls();

    Outcome pull = images("pull", "vbar");

    assertThat(pull.exitCode()).isEqualTo(1);
    assertThat(pull.err()).contains("nothing came for 1 s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pull", "load"})
  void engineThatIsAway_isToldOnceAndWhatToDo(String verb) throws Exception {
    archive(BAKED + "one.tar", VBAR);
    archive(BAKED + "two.tar", TELEMETRY);
    engine.goAway();

    Outcome outcome = images(verb);

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.err().lines())
        .singleElement()
        .asString()
        .contains("no such socket", "systemctl start docker", "DOCKER_HOST");
  }

  @Test
  void pullSave_keepsAnArchiveWithItsSum() throws Exception {
    Outcome pull = images("pull", "--save", "vbar", "registry.example.com/a/other:1");

    assertThat(pull.exitCode()).as(pull.toString()).isZero();
    assertThat(pull.out()).contains("saved as /usr/share/tpu-bootd/images/vbar.tar");
    Path folder = file(BAKED);
    assertThat(folder.toFile().list())
        .containsExactlyInAnyOrder(
            "vbar.tar", "vbar.tar.sha256", "other-1.tar", "other-1.tar.sha256");
    assertThat(folder.resolve("vbar.tar.sha256"))
        .hasContent(sha256(folder.resolve("vbar.tar")) + "  vbar.tar");
    assertThat(folder.resolve("vbar.tar")).hasBinaryContent(ImageArchive.of(VBAR));
  }

  @Test
  void pullSave_cutOffInTheMiddle_leavesTheOldArchive() throws Exception {
    Path old = archive(BAKED + "vbar.tar", VBAR);
    sum(old, sha256(old));
    byte[] before = Files.readAllBytes(old);
    engine.faults().cutSaves();

    Outcome pull = images("pull", "--save", "vbar");

    assertThat(pull.exitCode()).isEqualTo(1);
    assertThat(pull.err()).contains("cannot be saved as").contains("no whole archive");
    assertThat(old).hasBinaryContent(before);
    assertThat(file(BAKED).toFile().list())
        .containsExactlyInAnyOrder("vbar.tar", "vbar.tar.sha256");
  }

  @Test
  void pullSave_byDigest_isRefused() throws Exception {
    Outcome pull = images("pull", "--save", "gcr.io/p/agent@sha256:" + "1".repeat(64));

    assertThat(pull.exitCode()).isEqualTo(1);
    assertThat(pull.err()).contains("cannot be kept in an archive");
    assertThat(file(BAKED)).doesNotExist();
  }

  @Test
  void pullSave_sweepsWhatAKilledOneHasLeft() throws Exception {
    Path leftOver = file(BAKED + ".vbar.tar.123.unfinished");
    Files.createDirectories(leftOver.resolveSibling("."));
    Files.writeString(leftOver, "half");

    assertThat(images("pull", "--save", "vbar").exitCode()).isZero();

    assertThat(leftOver).doesNotExist();
  }

  @Test
  void load_givesTheEngineWhatItHasNot() throws Exception {
    engine.addImage(TELEMETRY);
    archive(BAKED + "vbar.tar", VBAR);
    archive(BAKED + "telemetry.tar", TELEMETRY);

    Outcome load = images("load");

    assertThat(load.exitCode()).as(load.toString()).isZero();
    assertThat(load.out())
        .contains("telemetry.tar: its images are there already")
        .contains("vbar.tar: loaded " + VBAR);
    assertThat(engine.hasImage(VBAR)).isTrue();
    assertThat(changes()).containsExactly("POST /images/load");
  }

  @Test
  void load_imageInBothFolders_takesAPersonsOne() throws Exception {
    archive(BAKED + "vbar.tar", VBAR);
    archive(OWN + "vbar.tar", VBAR);

    Outcome load = images("load");

    assertThat(load.out().lines())
        .satisfiesExactly(
            first -> assertThat(first).contains(OWN).contains("loaded"),
            second -> assertThat(second).contains(BAKED).contains("there already"));
  }

  @Test
  void load_wrongSum_isToldAndTheOthersAreLoaded() throws Exception {
    sum(archive(BAKED + "telemetry.tar", TELEMETRY), "0".repeat(64));
    archive(BAKED + "vbar.tar", VBAR);

    Outcome load = images("load");

    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err())
        .contains("/usr/share/tpu-bootd/images/telemetry.tar was not loaded: its SHA-256 is ");
    assertThat(engine.hasImage(VBAR)).isTrue();
    assertThat(engine.hasImage(TELEMETRY)).isFalse();
  }

  @Test
  void load_namedFile_whateverTheEngineHas() throws Exception {
    engine.addImage(VBAR);
    Path file = archive("/somewhere/else.tar", VBAR);

    Outcome load = images("load", file.toString());

    assertThat(load.exitCode()).as(load.toString()).isZero();
    assertThat(changes()).containsExactly("POST /images/load");
  }

  @Test
  void load_noSuchFileAndNoArchive() throws Exception {
    Path garbage = file("/garbage.tar");
    Files.writeString(garbage, "no archive at all");

    Outcome load = images("load", "/no/such.tar", garbage.toString());

    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err())
        .contains("/no/such.tar was not loaded: there is no such file")
        .contains("/garbage.tar was not loaded: the engine said: archive/tar");
  }

  @Test
  void load_nothingThere_isNoError() throws Exception {
    Outcome load = images("load");

    assertThat(load.exitCode()).isZero();
    assertThat(load.out()).contains("nothing to load");
  }

  @Test
  void withoutAVerb_endsWithTwo() {
    assertThat(images().exitCode()).isEqualTo(2);
  }
}
