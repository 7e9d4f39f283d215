package org.tpubootd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

  private final StringWriter out = new StringWriter();

  @Test
  void show_writesOverWhatWasThere() {
    try (var line = new ProgressLine(new PrintWriter(out), true)) {
      line.show("3 of 10 layers");
      line.show("done");
    }

    assertThat(out).hasToString("\r3 of 10 layers\rdone          \r    \r");
  }

  @Test
  void show_textLongerThanALine_keepsItsEnd() {
    try (var line = new ProgressLine(new PrintWriter(out), true)) {
      line.show("x".repeat(100) + ": 40 of 120 MB");
    }

    assertThat(out.toString().split("\r", -1)[1])
        .hasSize(79)
        .startsWith("...x")
        .endsWith("x: 40 of 120 MB");
  }

  @Test
  void noTerminal_nothingIsWritten() {
    try (var line = new ProgressLine(new PrintWriter(out), false)) {
      line.show("3 of 10 layers");
    }

    assertThat(out.toString()).isEmpty();
  }
}
