package org.tpubootd.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests for {@link TpuEnv} and its parser. */
class TpuEnvTest {

  static List<String> samples() throws Exception {
    return Samples.names();
  }

  /** What line-by-line readers make of a capture, which has one quoted value a line. */
  private static Map<String, String> byLines(String text) {
    var values = new LinkedHashMap<String, String>();
    text.lines()
        .forEach(line -> {
          String[] halves = line.split(":", 2);
          values.put(halves[0], halves[1].strip().replaceAll("^'|'$", ""));
        });
    return values;
  }

  @ParameterizedTest
  @MethodSource("samples")
  void parse_everySample_asLineReadersDo(String sample) throws Exception {
    String text = Samples.read(sample);

    var env = TpuEnv.parse(text);

    assertThat(env.values()).containsExactlyEntriesOf(byLines(text));
    assertThat(env.notes()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void parse_everySample_whateverTheLayout(String sample) throws Exception {
    String text = Samples.read(sample);
    var values = TpuEnv.parse(text).values();

    assertThat(TpuEnv.parse(text.replace("\n", "\r\n")).values())
        .describedAs("CRLF")
        .containsExactlyEntriesOf(values);
    assertThat(TpuEnv.parse(text.stripTrailing()).values())
        .describedAs("no final newline")
        .containsExactlyEntriesOf(values);
    assertThat(TpuEnv.parse("\n" + text.indent(6) + "   ").values())
        .describedAs("indented as a block")
        .containsExactlyEntriesOf(values);
    assertThat(TpuEnv.parse("\n" + text.replaceAll("(?m)^(?=.)", "\t\t") + "\t").values())
        .describedAs("indented with tabs")
        .containsExactlyEntriesOf(values);
    assertThat(TpuEnv.parse("\uFEFF" + text).values())
        .describedAs("with a byte order mark")
        .containsExactlyEntriesOf(values);
    assertThat(TpuEnv.parse("---\n" + text).values())
        .describedAs("with a document start")
        .containsExactlyEntriesOf(values);
    assertThat(TpuEnv.parse(text.replace("'", "\"")).values())
        .describedAs("double quotes")
        .containsExactlyEntriesOf(values);
    assertThat(TpuEnv.parse(text.replace("'", "")).values())
        .describedAs("unquoted")
        .containsExactlyEntriesOf(values);
  }

  static Stream<Arguments> literals() {
    return Stream.of(
        arguments("010", "010"),
        arguments("0x1F", "0x1F"),
        arguments("1_000", "1_000"),
        arguments("1e3", "1e3"),
        arguments("false", "false"),
        arguments("yes", "yes"),
        arguments("null", "null"),
        arguments("~", "~"),
        arguments("", ""),
        arguments("''", ""),
        arguments("12:30:45", "12:30:45"),
        arguments("2026-11-30", "2026-11-30"),
        arguments("2,2,1", "2,2,1"),
        arguments("gcr.io/a/b:tag", "gcr.io/a/b:tag"),
        arguments("it's  ", "it's"),
        arguments("a # comment", "a"),
        arguments("a#b", "a#b"),
        arguments("'it''s $(x) `y` \\n \"z\" # w'", "it's $(x) `y` \\n \"z\" # w"),
        arguments("\"a\\tb\\\"c\\\\d\\n\\u00e9\"", "a\tb\"c\\d\n\u00e9"),
        arguments("|\n  one\n  two", "one\ntwo\n"),
        arguments("|-\n  one\n  two", "one\ntwo"),
        arguments(">-\n  one\n  two", "one two"),
        arguments("'h\u00e9llo \u4e16\u754c \ud83d\ude80'", "h\u00e9llo \u4e16\u754c \ud83d\ude80"),
        arguments("!!int 010", "010"),
        arguments("[1, 2,  {a: b}] # note", "[1, 2,  {a: b}]"),
        arguments("{\"a\": [1,2]}", "{\"a\": [1,2]}"),
        arguments("'" + "x".repeat(60 * 1024) + "'", "x".repeat(60 * 1024)));
  }

  @ParameterizedTest
  @MethodSource("literals")
  void parse_valuesStayLiteral(String yaml, String value) throws Exception {
    var env = TpuEnv.parse("\ud83d\ude80: x\nKEY: " + yaml + "\nNEXT: 'n'\n");

    assertThat(env.value("KEY")).contains(value);
    assertThat(env.value("NEXT")).contains("n");
  }

  @Test
  void value_missing() throws Exception {
    assertThat(TpuEnv.parse("KEY: v").value("OTHER")).isEmpty();
  }

  @Test
  void parse_duplicate_lastValueAtFirstPlace() throws Exception {
    var env = TpuEnv.parse("A: 1\nB: 2\nA: 3\n");

    assertThat(env.values()).containsExactly(Map.entry("A", "3"), Map.entry("B", "2"));
    assertThat(env.notes())
        .containsExactly("tpu-env, line 3: A stands twice; the last value holds");
  }

  @Test
  void parse_alias() throws Exception {
    assertThat(TpuEnv.parse("A: &x v\nB: *x\n").value("B")).contains("v");
  }

  static Stream<Arguments> leftOut() {
    return Stream.of(
        arguments("my-key: v", "a key that is no name for a variable ('my-key') is left out"),
        arguments("1KEY: v", "a key that is no name for a variable ('1KEY') is left out"),
        arguments("'A B': v", "a key that is no name for a variable ('A B') is left out"),
        arguments("'': v", "a key that is no name for a variable ('') is left out"),
        arguments("[A]: v", "a key that is no name for a variable (a list or mapping) is left out"),
        arguments("<<: {A: v}", "a key that is no name for a variable ('<<') is left out"),
        arguments("KEY:\n  - a\n  - b", "KEY is left out: its value is a list over several lines"),
        arguments("KEY: [a,\n  b]", "KEY is left out: its value is a list over several lines"),
        arguments("KEY:\n  a: b", "KEY is left out: its value is a mapping over several lines"),
        arguments(
            "KEY: \"a\\0b\"", "KEY is left out: its value holds a NUL, which no environment can"),
        arguments(
            "KEY: \"a\\ud800b\"",
            "KEY is left out: its value holds half a character (a lone surrogate)"));
  }

  @ParameterizedTest
  @MethodSource("leftOut")
  void parse_whatNoVariableCanBe_isLeftOutAndNoted(String yaml, String note) throws Exception {
    var env = TpuEnv.parse("FIRST: 1\n" + yaml + "\nLAST: 2\n");

    assertThat(env.values()).containsExactly(Map.entry("FIRST", "1"), Map.entry("LAST", "2"));
    assertThat(env.notes()).containsExactly("tpu-env, line 2: " + note);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      textBlock =
          """
          '' => line 1: it is empty
          ' \n\n' => line 1: it is empty
          '# only a comment' => line 1: it is not a mapping
          '<!DOCTYPE html>\n<title>Error: 404</title>' => line 1: it is HTML or XML
          '\n <html><body>A: b</body></html>' => line 1: it is HTML or XML
          'Not found' => line 1: it is not a mapping
          '- A: 1' => line 1: it is not a mapping
          'Error: the backend is away' => line 1: none of its keys looks like
          '{"error": {"code": 403}}' => line 1: none of its keys looks like
          'A: 1\nB: ''open\nC: 3' => line 3: broken YAML
          'A: 1\n  B: 2' => line 2: broken YAML
          'A: b: c' => line 1: broken YAML
          'A: 1\nB: *nowhere' => line 2: broken YAML
          'A: 1\n---\nB: 2' => line 2: broken YAML
          """)
  void parse_somethingElse_isRefusedWithItsLine(String text, String message) {
    assertThatExceptionOfType(BadTpuEnvException.class)
        .isThrownBy(() -> TpuEnv.parse(text.translateEscapes()))
        .withMessageStartingWith(message);
  }

  @Test
  void parse_controlCharacter_isRefusedWithItsLine() {
    assertThatExceptionOfType(BadTpuEnvException.class)
        .isThrownBy(() -> TpuEnv.parse("A: 1\nB: 'x\0y'\n"))
        .withMessage("line 2: the character U+0000 has no place in YAML")
        .satisfies(e -> assertThat(e.line()).isEqualTo(2));
  }

  /** Each list holds the one before nine times: a billion elements, if they were made. */
  @Test
  void parse_billionLaughs_isRefused() {
    var text = new StringBuilder("A0: &a0 [x]\n");
    for (int i = 1; i < 10; i++) {
      text.append("A%d: &a%d [".formatted(i, i))
          .append(("*a" + (i - 1) + ", ").repeat(8))
          .append("*a" + (i - 1) + "]\n");
    }

    assertThatExceptionOfType(BadTpuEnvException.class)
        .isThrownBy(() -> TpuEnv.parse(text.toString()))
        .withMessageContaining("aliases");
  }

  @Test
  void parse_deepNesting_isRefused() {
    String text = "A: " + "[".repeat(10_000) + "]".repeat(10_000);

    assertThatExceptionOfType(BadTpuEnvException.class).isThrownBy(() -> TpuEnv.parse(text));
  }
}
