package org.tpubootd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tpubootd.health.StatusDocument;
import org.tpubootd.health.StatusDocument.PartStatus;

class StatusTableTest {

  private static final Instant NOW = Instant.parse("2026-11-30T08:00:00Z");

  @Test
  void print_isARowForEachPartAndWhatToDoUnderIt() {
    String table =
        print(
            false,
            part("tpu-env", true, "ok", "16 keys", null, null),
            part(
                "devices",
                true,
                "failed",
                "the IOMMU is off",
                "no PCI function has an IOMMU group",
                "add intel_iommu=on,sm_on to the kernel's command line, then reboot; a text that"
                    + " is longer than a line"),
            part("container/telemetry", false, "waiting", "pulling", null, null));

    assertThat(table)
        .isEqualTo(
            """
            PART                   STATE    SINCE SUMMARY
            tpu-env                ok       42s   16 keys
            devices                failed   42s   the IOMMU is off
                cause: no PCI function has an IOMMU group
                do:    add intel_iommu=on,sm_on to the kernel's command line, then reboot; a
                       text that is longer than a line
            container/telemetry *  waiting  42s   pulling
            * does not keep the host from being ready

            Not ready: devices.
            """);
  }

  @Test
  void print_coloursTheStateOnATerminalOnly() {
    var ok = part("tpu-env", true, "ok", "16 keys", null, null);

    assertThat(print(true, ok)).contains("\u001b[32mok      \u001b[0m");
    assertThat(print(false, ok)).doesNotContain("\u001b");
  }

  @Test
  void print_takesWhatAnotherVersionSays() {
    var strange =
        new PartStatus(
            "new", "host", true, "puzzled", "lately", "?", null, null, List.of(), 0, Map.of());

    assertThat(print(true, strange)).contains("puzzled").contains("Not ready: new.");
  }

  @ParameterizedTest(name = "{0} s is {1}")
  @CsvSource({"-5, 0s", "0, 0s", "99, 99s", "100, 1m", "5999, 99m", "6000, 1h", "360000, 4d"})
  void age_isInOneUnit(long seconds, String shown) {
    assertThat(StatusTable.age(Duration.ofSeconds(seconds))).isEqualTo(shown);
  }

  private static String print(boolean colours, PartStatus... parts) {
    var text = new StringWriter();
    var screen = new Screen(new PrintWriter(text), colours);
    new StatusTable(screen, NOW)
        .print(new StatusDocument(false, false, "1", NOW.toString(), List.of(), List.of(parts)));
    return text.toString();
  }

  private static PartStatus part(
      String name,
      boolean required,
      String state,
      String summary,
      @Nullable String cause,
      @Nullable String action) {
    String since = NOW.minusSeconds(42).toString();
    return new PartStatus(
        name, "host", required, state, since, summary, cause, action, List.of(), 0, Map.of());
  }
}
