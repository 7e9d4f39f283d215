package org.tpubootd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main file, then the drop-ins in the order of their names, each over the ones before. */
class ConfigLayersTest {

  @TempDir Path directory;

  private ConfigFiles files() {
    return new ConfigFiles(directory);
  }

  @Test
  void laterFile_winsKeyByKey() throws Exception {
    var files =
        files()
            .main("health: {port: 1, address: 10.0.0.1}")
            .dropIn("20-b.yaml", "health: {port: 3}")
            .dropIn("10-a.yaml", "health: {port: 2}");
    assertThat(files.config().health()).isEqualTo(new HealthConfig(true, "10.0.0.1", 3));
  }

  @Test
  void laterFile_replacesListsWhole() throws Exception {
    var files =
        files()
            .main("containers: {vbar: {command: [a, b]}}")
            .dropIn("a.yaml", "containers: {vbar: {command: [c]}}");
    assertThat(files.config().containers().vbar().command()).containsExactly("c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "~", ""})
  void nothing_resetsToTheDefault(String nothing) throws Exception {
    var files =
        files()
            .main("health: {port: 1}\nlog: debug")
            .dropIn("a.yaml", "health: {port: " + nothing + "}\nlog: " + nothing + "\n");
    assertThat(files.config().health().port()).isEqualTo(9595);
    assertThat(files.config().log()).isEqualTo(LogLevel.INFO);
    assertThat(files.setting("health.port").origin()).isEqualTo("default");
  }

  @Test
  void nothing_resetsAWholeSection() throws Exception {
    var files = files().main("health: {port: 1}").dropIn("a.yaml", "health:");
    assertThat(files.config().health().port()).isEqualTo(9595);
  }

  @Test
  void nothing_takesAVariableAway() throws Exception {
    var files =
        files()
            .main("files: {environment: {MINE: 'x', CLOUDSDK_PYTHON: null}}")
            .dropIn("a.yaml", "files: {environment: {MINE: null, GCS_RESOLVE_REFRESH_SECS: 61}}");
    assertThat(files.config().files().environment())
        .doesNotContainKeys("MINE", "CLOUDSDK_PYTHON")
        .containsEntry("GCS_RESOLVE_REFRESH_SECS", "61")
        .containsEntry("GCS_WRITE_REQUEST_TIMEOUT_SECS", "600");
  }

  @Test
  void settings_tellFileAndLine() throws Exception {
    var files =
        files()
            .main("log: debug\nhealth:\n  port: 1\nfiles:\n  environment:\n    MINE: x y\n")
            .dropIn(
                "10-a.yaml", "\nhealth: {port: 2}\nfiles: {environment: {CLOUDSDK_PYTHON: }}\n");
    assertThat(files.setting("log"))
        .isEqualTo(new Setting("log", "debug", "/etc/tpu-bootd/config.yaml:1"));
    assertThat(files.setting("health.port"))
        .isEqualTo(new Setting("health.port", "2", "/etc/tpu-bootd/config.d/10-a.yaml:2"));
    assertThat(files.setting("files.environment.MINE"))
        .isEqualTo(
            new Setting("files.environment.MINE", "\"x y\"", "/etc/tpu-bootd/config.yaml:6"));
    assertThat(files.setting("files.environment.CLOUDSDK_PYTHON"))
        .isEqualTo(
            new Setting(
                "files.environment.CLOUDSDK_PYTHON",
                "null",
                "/etc/tpu-bootd/config.d/10-a.yaml:3"));
  }

  @Test
  void settings_emptyListsAndMappings_areShown() throws Exception {
    var files = files().main("devices: {generations: []}");
    assertThat(files.setting("devices.generations"))
        .isEqualTo(new Setting("devices.generations", "[]", "/etc/tpu-bootd/config.yaml:1"));
    assertThat(files.setting("containers.vbar.environment").value()).isEqualTo("{}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "two words",
        "a: b",
        "a:",
        "# no",
        "null",
        "No",
        "010",
        "{x}",
        "\"",
        "\\",
        "a\nb",
        "a\tb",
        "a\rb",
        "\u0007",
        "\u0085",
        "\u2028",
        "\ufeff",
        "ü 漢字 🙂",
        "'",
        "a,b",
        "-",
        "/usr/bin/x",
        "x@y:1",
      })
  void settings_textsReadBackAsTheyWere(String text) throws Exception {
    var quoted = new StringBuilder("\"");
    text.codePoints().forEach(c -> quoted.append("\\U%08x".formatted(c)));
    var first = files().main("files: {owner: " + quoted + "\"}");
    assertThat(first.config().files().owner()).isEqualTo(text);
    String shown = first.setting("files.owner").value();
    assertThat(shown).doesNotContainPattern("[\\p{Cntrl}\u2028\ufeff]");
    var inList = files().main("containers: {vbar: {command: [" + shown + ", z]}}");
    assertThat(inList.config().containers().vbar().command()).isEqualTo(List.of(text, "z"));
    var alone = files().main("files: {owner: " + shown + "}");
    assertThat(alone.config().files().owner()).isEqualTo(text);
  }

  @Test
  void otherFiles_arePassedOver() throws Exception {
    var files =
        files()
            .dropIn("README", "not: [yaml")
            .dropIn("10-a.yaml.dpkg-old", "log: trace")
            .dropIn(".#10-a.yaml", "log: trace");
    assertThat(files.config().log()).isEqualTo(LogLevel.INFO);
  }

  @Test
  void emptyFiles_setNothing() throws Exception {
    var files = files().main("").dropIn("a.yaml", "# only a comment\n");
    assertThat(files.config().log()).isEqualTo(LogLevel.INFO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"500ms", "30s", "90s", "2m", "3h"})
  void durations_readBackAsShown(String text) throws Exception {
    var files = files().main("systemd: {ready-after: " + text + "}");
    var first = files.config().systemd();
    String shown = files.setting("systemd.ready-after").value();
    assertThat(files.main("systemd: {ready-after: " + shown + "}").config().systemd())
        .isEqualTo(first);
  }

  @Test
  void sizes_arePowersOf1024() throws Exception {
    var vbar = files().main("containers: {vbar: {memory: 2g, log-max-size: 5MiB}}").config();
    assertThat(vbar.containers().vbar().memory()).isEqualTo(2L << 30);
    assertThat(vbar.containers().vbar().logMaxSize()).isEqualTo(5L << 20);
  }

  @Test
  void generations_areReadRowByRow() throws Exception {
    var files =
        files()
            .main(
                """
                devices:
                  generations:
                  - {name: v9, device: 0099, chips-per-host: [1, 4]}
                  - {name: v9x, device: 009a, subsystem-device: 00ff, node: accel}
                """);
    var rows = files.config().devices().generations();
    assertThat(rows).hasSize(2);
    assertThat(rows.getFirst().device()).isEqualTo("0099");
    assertThat(rows.getFirst().chipsPerHost()).containsExactly(1, 4);
    assertThat(rows.getLast().node()).isEqualTo(DevicesConfig.NodeKind.ACCEL);
    assertThat(files.setting("devices.generations[1].subsystem-device").origin())
        .isEqualTo("/etc/tpu-bootd/config.yaml:4");
  }

  @Test
  void environment_goesBeforeTheFilesAndIsTheOrigin() throws Exception {
    files().main("metadata: {host: '10.0.0.1'}");
    var environment = Map.of("GCE_METADATA_HOST", " localhost:8080", "DOCKER_HOST", "");

    var loaded = new ConfigLoader(new HostRoot(directory), environment).load();

    assertThat(loaded.config().metadata().host()).isEqualTo("localhost:8080");
    assertThat(loaded.config().containers().engine()).isEqualTo("unix:///var/run/docker.sock");
    assertThat(loaded.settings())
        .contains(
            new Setting("metadata.host", "localhost:8080", "GCE_METADATA_HOST in the environment"));
  }
}
