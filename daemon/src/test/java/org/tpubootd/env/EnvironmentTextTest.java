package org.tpubootd.env;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for {@link EnvironmentText}. */
class EnvironmentTextTest {

  private static final List<String> LINES = List.of("A=1", "B='two words'");

  private static String with(String text, List<String> lines) throws Exception {
    return new String(EnvironmentText.read(text.getBytes(ISO_8859_1)).with(lines), ISO_8859_1);
  }

  private static Map<String, List<Integer>> byHand(String text) throws Exception {
    return EnvironmentText.read(text.getBytes(UTF_8)).byHand();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "PATH=\"/usr/bin\"\n",
        "PATH=\"/usr/bin\"",
        "# comment\r\nPATH=/usr/bin\r\nX=1",
        "\n\n  X=\u00ff\u00fe\n\n",
        "broken line\\"
      })
  void with_keepsEverythingElseByteForByte(String theirs) throws Exception {
    String written = with(theirs, LINES);

    assertThat(written).startsWith("# BEGIN tpu-bootd: ").endsWith("# END tpu-bootd\n" + theirs);
    assertThat(with(written, LINES)).describedAs("again").isEqualTo(written);
    assertThat(with(written, List.of())).describedAs("removed").isEqualTo(theirs);
    assertThat(with(written, List.of("C=3")))
        .contains("\nC=3\n")
        .doesNotContain("A=1")
        .endsWith("# END tpu-bootd\n" + theirs);
  }

  @Test
  void with_blockStaysWhereSomebodyMovedIt() throws Exception {
    String moved = "X=1\n# BEGIN tpu-bootd\nOLD=0\n# END tpu-bootd\nY=2\n";

    assertThat(with(moved, LINES))
        .startsWith("X=1\n# BEGIN tpu-bootd: ")
        .endsWith("\nA=1\nB='two words'\n# END tpu-bootd\nY=2\n");
  }

  @Test
  void with_blockSavedByAnEditorWithCrlf() throws Exception {
    String saved = "# BEGIN tpu-bootd: set\r\nA=1\r\n# END tpu-bootd\r\nX=1\r\n";

    assertThat(with(saved, LINES)).contains("\nA=1\nB=").endsWith("# END tpu-bootd\nX=1\r\n");
  }

  @Test
  void with_noBlockIsWantedAndNoneIsThere() throws Exception {
    assertThat(with("X=1", List.of())).isEqualTo("X=1");
  }

  @Test
  void byHand_whatPamEnvTakesForSettings() throws Exception {
    assertThat(
            byHand(
                """
                A=1
                  B="two"
                \tC='3'
                export D=4
                E
                F =6
                #G=7
                # H=8
                AA=1
                A=again
                I=9 # comment
                J=\\
                K=part of J
                L=11\r
                """))
        .containsOnlyKeys("A", "B", "C", "D", "E", "F", "AA", "I", "J", "L")
        .containsEntry("A", List.of(1, 10))
        .containsEntry("D", List.of(4));
  }

  @Test
  void byHand_notWhatIsInOurBlock() throws Exception {
    assertThat(byHand("# BEGIN tpu-bootd\nA=1\n# END tpu-bootd\nB=2\n"))
        .containsExactly(Map.entry("B", List.of(4)));
  }

  @Test
  void joined_lineBeforeTheBlockThatGoesOn() throws Exception {
    String text = "X=1\\\n# note\n# BEGIN tpu-bootd\nA=1\n# END tpu-bootd\n";

    assertThat(EnvironmentText.read(text.getBytes(UTF_8)).joined()).isEqualTo(1);
    assertThat(PamEnvGrammar.read(text.getBytes(UTF_8))).containsOnly(Map.entry("X", "1A=1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "# BEGIN tpu-bootd\nA=1\n",
        "# BEGIN tpu-bootd\nA=1\n# BEGIN tpu-bootd\n# END tpu-bootd\n",
        "# BEGIN tpu-bootd\n# END tpu-bootd\n# BEGIN tpu-bootd\n# END tpu-bootd\n",
        "A=1\n# END tpu-bootd\n",
        "# BEGIN tpu-bootd\n# END tpu-bootd\n# END tpu-bootd\n"
      })
  void read_damagedBlock(String text) {
    assertThatExceptionOfType(EnvironmentText.DamagedException.class)
        .isThrownBy(() -> EnvironmentText.read(text.getBytes(UTF_8)))
        .withMessageStartingWith("/etc/environment: ");
  }

  @Test
  void read_othersMarkersAreNotOurs() throws Exception {
    String text = "# BEGIN tpu-bootd-other\nA=1\n# ENDtpu-bootd\n";

    assertThat(with(text, List.of())).isEqualTo(text);
  }
}
