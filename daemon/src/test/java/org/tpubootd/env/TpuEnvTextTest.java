package org.tpubootd.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for {@link TpuEnvText}; bash and cut themselves read it in the integration tests. */
class TpuEnvTextTest {

  static List<String> samples() throws Exception {
    return Samples.names();
  }

  private static TpuEnvText of(String key, String value) {
    return TpuEnvText.of(new TpuEnv(Map.of(key, value), List.of()));
  }

  private static Map<String, String> bySystemd(String text) {
    return SystemdEnvGrammar.read(text.getBytes(UTF_8));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void of_everySample_oneQuotedValueALine(String sample) throws Exception {
    var env = TpuEnv.parse(Samples.read(sample));

    var text = TpuEnvText.of(env);

    var cut = new LinkedHashMap<String, String>();
    text.text().lines().forEach(line -> cut.put(line.split("=")[0], line.split("\"", -1)[1]));
    assertThat(cut).containsExactlyEntriesOf(env.values());
    assertThat(bySystemd(text.text())).containsExactlyEntriesOf(env.values());
    assertThat(text.notes()).allMatch(note -> note.startsWith("UID: bash keeps its own value"));
  }

  static Stream<Arguments> values() {
    return Stream.of(
        arguments("plain", "\"plain\"", ""),
        arguments("", "\"\"", ""),
        arguments("two words # no comment; 'single' ~ * ! & | <>", null, ""),
        arguments("h\u00e9llo \ud83d\ude80", "\"h\u00e9llo \ud83d\ude80\"", ""),
        arguments(
            "$(touch x)",
            "\"\\$(touch x)\"",
            "K: cut reads it with the backslashes that keep bash from acting on it"),
        arguments(
            "`x` $HOME a\\b\\",
            "\"\\`x\\` \\$HOME a\\\\b\\\\\"",
            "K: cut reads it with the backslashes that keep bash from acting on it"),
        arguments(
            "say \"hi\" $",
            "\"say \\\"hi\\\" \\$\"",
            "K: cut reads only what stands before its first quote"),
        arguments("one\ntwo", "\"one\ntwo\"", "K: cut reads only the first of its lines"),
        arguments(
            "a\u001b[0mb\r",
            null,
            "K: older releases of systemd leave it out for its control character"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void of_value(String value, String written, String note) {
    var text = of("K", value);

    if (written != null) {
      assertThat(text.text()).isEqualTo("K=" + written + "\n");
    }
    assertThat(bySystemd(text.text())).containsExactly(Map.entry("K", value));
    assertThat(text.notes()).isEqualTo(note.isEmpty() ? List.of() : List.of(note));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\uFFFE", "\uFFFF", "\uFDD0", "x\uD83F\uDFFFy"})
  void of_forWhichSystemdRefusesTheFile_isLeftOut(String value) {
    var text = of("K", value);

    assertThat(text.text()).isEmpty();
    assertThat(text.notes())
        .containsExactly(
            "K is left out: it holds a character for which systemd refuses the whole file");
  }

  @Test
  void of_longerThanAnyProgramCanBeGiven_isLeftOut() {
    int room = 128 * 1024 - 1 - "K=".length();

    assertThat(of("K", "x".repeat(room)).notes()).isEmpty();
    assertThat(of("K", "x".repeat(room + 1)).text()).isEmpty();
    assertThat(of("K", "x".repeat(room + 1)).notes().getFirst())
        .startsWith("K is left out: with 131072");
  }

  @Test
  void of_anyTextFromThePrintableAndTheDangerous_comesBackFromSystemd() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    String alphabet = "\"\\$`'#;=~!*{}()<>|& \t\nab\u00e9\u4e16";
    for (int round = 0; round < 2_000; round++) {
      var value = new StringBuilder();
      for (int i = random.nextInt(12); i > 0; i--) {
        value.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      var env = new TpuEnv(Map.of("K", value.toString()), List.of());
      assertThat(bySystemd(TpuEnvText.of(env).text()))
          .describedAs("seed %d", seed)
          .containsExactly(Map.entry("K", value.toString()));
    }
  }
}
