package org.tpubootd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is wrong in a file is one sentence with file, line and key. */
class ConfigErrorsTest {

  private static final String MAIN = "/etc/tpu-bootd/config.yaml:";

  @TempDir Path directory;

  private static Arguments wrong(String yaml, String message) {
    return Arguments.of(yaml, message);
  }

  static Stream<Arguments> wrongFiles() {
    return Stream.of(
        // Unknown keys, with the nearest known one.
        wrong("lgo: info", "1: unknown key 'lgo'; did you mean 'log'?"),
        wrong(
            "log: info\nhealth:\n  prot: 1",
            "3: unknown key 'health.prot'; did you mean 'health.port'?"),
        wrong(
            "containers:\n  vbar:\n    imgae: x",
            "3: unknown key 'containers.vbar.imgae'; did you mean 'containers.vbar.image'?"),
        wrong(
            "systemd:\n  something: 1",
            "2: unknown key 'systemd.something'; known here: ready-after"),
        wrong(
            "devices:\n  generations:\n  - name: v9\n    devise: '0099'",
            "4: unknown key 'devices.generations[0].devise'; did you mean"
                + " 'devices.generations[0].device'?"),
        wrong("nothing-like-it: null", "1: unknown key 'nothing-like-it'; known here: log, "),
        // Wrong types.
        wrong("health: 9595", "1: 'health' must be a mapping of keys, but is '9595'"),
        wrong("health:\n- port", "2: 'health' must be a mapping of keys, but is a list"),
        wrong("health:\n  enabled: yes", "2: 'health.enabled' must be true or false, but is 'yes'"),
        wrong(
            "health: {port: 70000}",
            "1: 'health.port' must be a whole number from 0 to 65535, but is '70000'"),
        wrong(
            "health: {port: 99999999999}",
            "1: 'health.port' must be a whole number from 0 to 65535, but is '99999999999'"),
        wrong("health: {port: [1]}", "1: 'health.port' must be a whole number from 0 to 65535"),
        wrong(
            "log: loud", "1: 'log' must be one of error, warn, info, debug, trace, but is 'loud'"),
        wrong(
            "systemd: {ready-after: 2}",
            "1: 'systemd.ready-after' must be a duration such as 500ms, 10s, 2m or 1h"),
        wrong("systemd: {ready-after: 0s}", "1: 'systemd.ready-after' must be a duration"),
        wrong("systemd: {ready-after: 8761h}", "1: 'systemd.ready-after' must be a duration"),
        wrong(
            "devices: {node-mode: 0888}",
            "1: 'devices.node-mode' must be permission bits in octal such as \"0666\""),
        wrong(
            "containers: {vbar: {memory: lots}}",
            "1: 'containers.vbar.memory' must be a size above zero such as 512MiB or 10m"),
        wrong("containers: {vbar: {memory: 99999999999g}}", "1: 'containers.vbar.memory' must be"),
        wrong(
            "containers: {vbar: {command: run}}",
            "1: 'containers.vbar.command' must be a list of texts, but is 'run'"),
        wrong(
            "containers: {vbar: {command: [[a]]}}",
            "1: 'containers.vbar.command' must be a list of texts, but is a list"),
        wrong(
            "containers: {vbar: {environment: [A=1]}}",
            "1: 'containers.vbar.environment' must be a mapping of names to texts, but is a list"),
        wrong(
            "files:\n  environment:\n    A: {b: c}",
            "3: 'files.environment.A' must be text, but is a mapping"),
        wrong(
            "devices: {generations: {name: v9}}",
            "1: 'devices.generations' must be a list of mappings, but is a mapping"),
        wrong(
            "devices: {generations: [v9]}",
            "1: 'devices.generations' must be a list of mappings, but is 'v9'"),
        wrong(
            "devices:\n  generations:\n  - name: v9",
            "3: 'devices.generations[0].device' is missing"),
        wrong(
            "devices:\n  generations:\n  - {name: v9, device: 0x62}",
            "3: 'devices.generations[0].device' must be four hex digits such as 0062, but is"
                + " '0x62'"),
        // Duplicate keys.
        wrong(
            "log: info\nhealth: {}\nlog: warn",
            "3: the key 'log' stands twice; the first is in line 1"),
        wrong(
            "health:\n  port: 1\n  port: 1",
            "3: the key 'health.port' stands twice; the first is in line 2"),
        // Broken YAML.
        wrong("log: info\nhealth: [1, 2", "2: broken YAML: expected ',' or ']'"),
        wrong("log: info\n\tx: 1", "2: broken YAML: found character '\\t(TAB)'"),
        wrong("log: a: b", "1: broken YAML: mapping values are not allowed here"),
        wrong("log: info\n---\nlog: warn", "2: broken YAML: but found another document"),
        wrong("log: *x", "1: broken YAML: found undefined alias x"),
        wrong("a: 1\nlog: \u0001", "2: broken YAML: the character U+0001 is not allowed"),
        wrong("log: &x [*x]", "1: an alias inside of its own anchor never ends"),
        wrong("? [1]\n: 2", "1: a key must be a word"),
        wrong("- log", "1: the file must be a mapping of keys, but is a list"),
        wrong("log", "1: the file must be a mapping of keys, but is 'log'"));
  }

  @ParameterizedTest
  @MethodSource("wrongFiles")
  void load_wrongFile_saysWhereAndWhat(String yaml, String message) throws Exception {
    var files = new ConfigFiles(directory).main(yaml);
    assertThatThrownBy(files::config)
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(MAIN + message)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void load_wrongDropIn_namesThatFile() throws Exception {
    var files = new ConfigFiles(directory).main("log: info").dropIn("50-a.yaml", "\nlog: loud");
    assertThatThrownBy(files::config)
        .hasMessageStartingWith("/etc/tpu-bootd/config.d/50-a.yaml:2: 'log' must be one of");
  }

  @Test
  void load_notUtf8_saysSo() throws Exception {
    Path file = directory.resolve("etc/tpu-bootd/config.yaml");
    Files.createDirectories(directory.resolve("etc/tpu-bootd"));
    Files.write(file, "log: \u00fc".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> new ConfigFiles(directory).config())
        .hasMessage("/etc/tpu-bootd/config.yaml: not UTF-8 text");
  }

  @Test
  void load_directoryInPlaceOfTheFile_saysThatItCannotBeRead() throws Exception {
    Files.createDirectories(directory.resolve("etc/tpu-bootd/config.yaml"));
    assertThatThrownBy(() -> new ConfigFiles(directory).config())
        .hasMessageStartingWith("/etc/tpu-bootd/config.yaml: cannot be read: ");
  }

  @Test
  void load_yamlsOwnTyping_touchesNothing() throws Exception {
    var files =
        new ConfigFiles(directory)
            .main("files: {environment: {A: 010, B: 12:30:45, C: no, D: 'null', E: 1e3}}");
    assertThat(files.config().files().environment())
        .containsEntry("A", "010")
        .containsEntry("B", "12:30:45")
        .containsEntry("C", "no")
        .containsEntry("D", "null")
        .containsEntry("E", "1e3");
  }
}
