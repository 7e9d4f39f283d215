package org.tpubootd.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tpubootd.core.FakeTime;

class OutageTest {

  private final FakeTime time = new FakeTime();
  private final Outage outage = new Outage(time);

  @Test
  void keysThatFailTogether_areOneOutage() {
    try (var log = new LogLines(Outage.class)) {
      outage.failed("tpu-env", "connection refused");
      time.advance(Duration.ofSeconds(1));
      outage.failed("worker-id", "connection refused");
      outage.answered("tpu-env");
      outage.failed("tpu-env", "connection reset");
      outage.answered("worker-id");
      time.advance(Duration.ofSeconds(4));
      outage.answered("tpu-env");

      assertThat(log.lines())
          .containsExactly(
              "WARN connection refused; it is asked again until it answers",
              "INFO the metadata server answers again after 5.0 s");
    }
  }

  @Test
  void keyThatIsRefusedForGood_hidesNoOutage() {
    try (var log = new LogLines(Outage.class)) {
      outage.refused("worker-id", "asking for worker-id: 403");
      outage.refused("worker-id", "asking for worker-id: 403");
      outage.failed("tpu-env", "connection refused");
      outage.failed("worker-id", "connection refused");
      time.advance(Duration.ofSeconds(2));
      outage.answered("tpu-env");
      outage.refused("worker-id", "asking for worker-id: 403");
      outage.answered("worker-id");

      assertThat(log.lines())
          .containsExactly(
              "WARN asking for worker-id: 403; it is asked again",
              "WARN connection refused; it is asked again until it answers",
              "INFO the metadata server answers again after 2.0 s",
              "INFO the metadata server no longer refuses worker-id");
    }
  }

  @Test
  void answersWithoutAnOutage_areNotTold() {
    try (var log = new LogLines(Outage.class)) {
      outage.answered("tpu-env");

      assertThat(log.lines()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PT0.25S, 0.2 s",
    "PT59.9S, 59.9 s",
    "PT1M5S, 1 min 5 s",
    "PT26H0M3S, 26 h 0 min 3 s"
  })
  void duration_isInWords(Duration lasted, String words) {
    try (var log = new LogLines(Outage.class)) {
      outage.failed("tpu-env", "connection refused");
      time.advance(lasted);
      outage.answered("tpu-env");

      assertThat(log.lines()).last().asString().endsWith("again after " + words);
    }
  }
}
