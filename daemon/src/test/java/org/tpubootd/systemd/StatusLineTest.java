package org.tpubootd.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tpubootd.core.Condition;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;

class StatusLineTest {

  private static Condition condition(String name, boolean required, Finding finding) {
    return condition(name, Part.Group.HOST, required, finding);
  }

  private static Condition condition(
      String name, Part.Group group, boolean required, Finding finding) {
    return new Condition(new Part(name, group, required), finding, Instant.EPOCH, 0);
  }

  private static final Condition OK = condition("environment", true, Finding.ok("written"));
  private static final Condition WAITS =
      condition(
          "tpu-env", true, Finding.waiting("metadata server does not answer", "timeout", null));
  private static final Condition PULLS =
      condition("container/vbar", true, Finding.waiting("pulling 40 of 120 MB", "x", null));
  private static final Condition BROKEN =
      condition("devices", true, Finding.failed("3 of 4 bound", "one hangs", "look"));

  private static String line(Condition... conditions) {
    return StatusLine.of(List.of(conditions), List.of());
  }

  @Test
  void allRight_isReady() {
    assertThat(line(OK)).isEqualTo("ready");
  }

  @Test
  void waiting_namesEachPartAndWhatItWaitsFor() {
    assertThat(line(OK, WAITS, PULLS))
        .isEqualTo(
            "waiting for tpu-env: metadata server does not answer;"
                + " container/vbar: pulling 40 of 120 MB");
  }

  @Test
  void failed_comesBeforeWhatIsWaitedFor() {
    assertThat(line(PULLS, BROKEN))
        .isEqualTo(
            "devices failed: 3 of 4 bound; waiting for container/vbar: pulling 40 of 120 MB");
  }

  @Test
  void partThatIsNotRequired_isABlemish() {
    var extra =
        condition("container/telemetry", false, Finding.degraded("flapping", "exit 1", "look"));
    assertThat(line(OK, extra)).isEqualTo("ready, but container/telemetry degraded: flapping");
  }

  @Test
  void everythingInert_saysWhy() {
    var inert = condition("devices", true, Finding.inert("this VM has no TPU", "no device"));
    var health = condition("health", Part.Group.SELF, false, Finding.ok("listening on http://x:1"));
    assertThat(line(inert, health)).isEqualTo("inert: this VM has no TPU");
    assertThat(line(inert, OK)).isEqualTo("ready");
  }

  @Test
  void stuck_goesBeforeEverything() {
    assertThat(StatusLine.of(List.of(BROKEN), List.of("devices", "tpu-env")))
        .isEqualTo("stuck: devices, tpu-env; the watchdog is no longer fed");
  }

  @Test
  void newline_cannotBeginAnotherAssignment() {
    assertThat(line(condition("x", true, Finding.failed("a\nSTOPPING=1\r\nb", "c", "d"))))
        .isEqualTo("x failed: a STOPPING=1 b");
  }

  @Test
  void longText_isCutBetweenCharactersAt200Bytes() {
    for (String letter : List.of("a", "ü", "漢", "🙂")) {
      for (int shift = 0; shift < 4; shift++) {
        String cut =
            line(condition("x".repeat(shift), true, Finding.failed(letter.repeat(300), "c", "d")));
        assertThat(cut.getBytes(StandardCharsets.UTF_8).length).isBetween(196, 200);
        assertThat(cut).endsWith(letter + "…").doesNotContain("?");
      }
    }
  }
}
