package org.tpubootd.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for {@link PamLine}, against pam_env's grammar. */
class PamLineTest {

  private static Map<String, String> byPam(String line) {
    return PamEnvGrammar.read(("BEFORE=1\n" + line + "\nAFTER=2\n").getBytes(UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '|',
      delimiterString = " -> ",
      value = {
        "/usr/bin/python3 -> K=/usr/bin/python3",
        "60 -> K=60",
        "|| -> K=",
        "a,b=c@d+e%f~g -> K=a,b=c@d+e%f~g",
        "two words -> K='two words'",
        "$HOME -> K='$HOME'",
        "it's -> K=\"it's\"",
        "\"x\" -> K='\"x\"'",
        "back\\ -> K='back\\'",
      })
  void of_line(String value, String line) {
    assertThat(PamLine.refusal("K", value)).isEmpty();
    assertThat(PamLine.of("K", value)).isEqualTo(line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        " leading and trailing ",
        "tab\there",
        "'",
        "\"",
        "'single'",
        "\"double\"",
        "both \" and '",
        "'\"'\"",
        "$(x) `y` $HOME ${A} @{PAM_USER}",
        "\\",
        "ends with \\",
        "h\u00e9llo \ud83d\ude80",
        "export X=1",
        "a=b=c"
      })
  void of_comesBackFromPam(String value) {
    assertThat(PamLine.refusal("K", value)).isEmpty();
    assertThat(byPam(PamLine.of("K", value)))
        .containsExactly(Map.entry("BEFORE", "1"), Map.entry("K", value), Map.entry("AFTER", "2"));
  }

  @Test
  void of_anyTextThatIsNotRefused_comesBackFromPam() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    String alphabet = "\"'\\$`#;=~ \t\nab\u00e9\r\u0000";
    for (int round = 0; round < 5_000; round++) {
      var built = new StringBuilder();
      for (int i = random.nextInt(10); i > 0; i--) {
        built.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String value = built.toString();
      if (PamLine.refusal("K", value).isEmpty()) {
        assertThat(byPam(PamLine.of("K", value)))
            .describedAs("seed %d", seed)
            .containsEntry("K", value)
            .containsEntry("AFTER", "2");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a#b", "# x", "one\ntwo", "a\rb", "a\0b", "\u001b", "\u007f", "\ud800"})
  void refusal_values(String value) {
    assertThat(PamLine.refusal("K", value)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a-b", "1A", "A B", "A=B"})
  void refusal_keys(String key) {
    assertThat(PamLine.refusal(key, "v")).contains("it is no name for a variable");
  }

  @Test
  void refusal_longerThanOlderReleasesRead() {
    String longest = "x".repeat(1022 - "K=".length());

    assertThat(PamLine.refusal("K", longest)).isEmpty();
    assertThat(byPam("K=" + longest)).containsEntry("K", longest).containsEntry("AFTER", "2");
    assertThat(PamLine.refusal("K", longest + "x")).isPresent();
  }
}
