package org.tpubootd.tests.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tpubootd.config.FilesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.env.TpuEnv;
import org.tpubootd.env.TpuEnvFile;
import org.tpubootd.env.TpuEnvSource;
import org.tpubootd.metadata.Reading;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;

/** The file tpu-env, as bash, sh and cut themselves read it. */
@NeedsPart(Part.BASH)
class TpuEnvReadersIT {

  @TempDir Path directory;
  private Path host;

  @BeforeEach
  void makeHost() throws IOException {
    host = Files.createDirectory(directory.resolve("host"));
  }

  /** One pass of the real component on the attribute's text. */
  private Finding write(String text) throws Exception {
    var source = new TpuEnvSource(_ -> new Reading(Reading.Status.PRESENT, text, null, null));
    var found =
        new TpuEnvFile(
                new HostRoot(host), new FilesConfig("tpu-runtime", Map.of()), source, () -> false)
            .plan()
            .carryOut(_ -> {});
    assertThat(found.state()).describedAs(found.toString()).isEqualTo(State.OK);
    return found;
  }

  private String file() {
    return host.resolve("home/tpu-runtime/tpu-env").toString();
  }

  private Map<String, String> sourced(String shell) throws Exception {
    var run =
        Programs.run(directory, List.of(shell, "-c", "set -a; . \"$0\"; exec env -0", file()));
    assertThat(run.exitCode()).describedAs(run.errors()).isZero();
    return Programs.environment(run.output());
  }

  private String cut(String key) throws Exception {
    var run =
        Programs.run(
            directory, List.of("sh", "-c", "grep \"^$1=\" \"$0\" | cut -d'\"' -f2", file(), key));
    assertThat(run.exitCode()).describedAs(run.errors()).isZero();
    return run.output();
  }

  private static String sample(String name) throws IOException {
    try (var in = TpuEnvReadersIT.class.getResourceAsStream("samples/" + name)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static List<String> samples() throws Exception {
    var folder = Objects.requireNonNull(TpuEnvReadersIT.class.getResource("samples"));
    try (var listing = Files.list(Path.of(folder.toURI()))) {
      return listing.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void everySample(String name) throws Exception {
    var expected = TpuEnv.parse(sample(name)).values();
    write(sample(name));

    var byBash = sourced("bash");
    for (var entry : expected.entrySet()) {
      if (!entry.getKey().equals("UID")) { // read-only in bash: see the next test
        assertThat(byBash).contains(entry);
      }
      assertThat(cut(entry.getKey())).isEqualTo(entry.getValue() + "\n");
    }
    assertThat(host.resolve("etc/tpu/tpu-env")).content().isEqualTo(sample(name));
  }

  @Test
  void uid_bashKeepsItsOwnAndGoesOn() throws Exception {
    var found = write("ALT: 'false'\nUID: '7410938265514027733'\nWORKER_ID: '3'\n");

    assertThat(found.notes()).hasSize(1).first().asString().startsWith("UID: bash keeps");
    assertThat(sourced("bash")).containsEntry("WORKER_ID", "3");
    assertThat(cut("UID")).isEqualTo("7410938265514027733\n");
  }

  static Stream<Arguments> hostile() {
    return Stream.of(
        arguments("double quotes", "say \"hi\""),
        arguments("single quotes", "it's 'so'"),
        arguments("command", "$(touch pwned)"),
        arguments("backticks", "`touch pwned`"),
        arguments("end of quotes", "\"; touch pwned; \""),
        arguments("end of quotes, escaped", "\\\"; touch pwned; \\\""),
        arguments("variable", "$HOME ${PATH} $0 $$"),
        arguments("backslashes", "\\ \\\\ \\n \\$ \\` ends with \\"),
        arguments("comment", "a # b"),
        arguments("history", "wow! !! !$"),
        arguments("globs and braces", "* ? [a] {a,b} ~ ~root"),
        arguments("operators", "a; b & c | d < e > f (g)"),
        arguments("newline", "one\ntouch pwned\nPATH=\"/evil\""),
        arguments("white space", "  lead\ttab trail  "),
        arguments("carriage return", "a\rb"),
        arguments("control characters", "a\u0001b\u001b[0m\u007fc"),
        arguments("non-ASCII", "h\u00e9llo \u4e16\u754c \ud83d\ude80"),
        arguments("empty", ""),
        arguments("60 KiB", "x$`\"\\".repeat(60 * 1024 / 5)));
  }

  /** As YAML writes any text: in double quotes. */
  private static String yaml(String value) {
    var yaml = new StringBuilder("\"");
    value
        .chars()
        .forEach(c -> {
          if (c == '"' || c == '\\') {
            yaml.append('\\').append((char) c);
          } else if (c < ' ' || c == 0x7F) {
            yaml.append("\\x%02x".formatted(c));
          } else {
            yaml.append((char) c);
          }
        });
    return yaml.append('"').toString();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostile")
  void hostileValue_isHeldByTheShellsAndRunByNone(String what, String value) throws Exception {
    write("BEFORE: b\nKEY: " + yaml(value) + "\nAFTER: a\n");

    for (String shell : List.of("bash", "sh")) {
      assertThat(sourced(shell))
          .describedAs(shell)
          .containsEntry("BEFORE", "b")
          .containsEntry("KEY", value)
          .containsEntry("AFTER", "a");
    }
    assertThat(cut("AFTER")).isEqualTo("a\n");
    assertThat(directory.resolve("pwned")).doesNotExist();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostile")
  void hostileValue_cutHoldsItOrANoteSaysNot(String what, String value) throws Exception {
    var found = write("KEY: " + yaml(value) + "\n");

    boolean held = cut("KEY").equals(value + "\n");
    boolean noted = found.notes().stream().anyMatch(note -> note.startsWith("KEY: cut reads"));
    assertThat(held).describedAs("notes: %s", found.notes()).isNotEqualTo(noted);
  }

  static Stream<Arguments> layouts() {
    String plain = "A: 010\nB: false\nC: [x, {y: z}]\nD: 12:30:45\nE:\n";
    return Stream.of(
        arguments("plain", plain),
        arguments("CRLF", plain.replace("\n", "\r\n")),
        arguments("no final newline", plain.stripTrailing()),
        arguments("blank lines", plain.replace("\n", "\n\n")),
        arguments("indented block", "\n" + plain.indent(4) + "  "),
        arguments("indented with tabs", "\n\t" + plain.strip().replace("\n", "\n\t") + "\n"),
        arguments("a key twice", "A: 1\n" + plain));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("layouts")
  void layout(String what, String text) throws Exception {
    write(text);

    assertThat(sourced("bash"))
        .containsEntry("A", "010")
        .containsEntry("B", "false")
        .containsEntry("C", "[x, {y: z}]")
        .containsEntry("D", "12:30:45")
        .containsEntry("E", "");
    assertThat(host.resolve("etc/tpu/tpu-env")).content().isEqualTo(text);
  }
}
