package org.tpubootd.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchdogTest {

  @Test
  void feedEvery_isHalfOfTheLimit() {
    assertThat(Watchdog.feedEvery(Map.of("WATCHDOG_USEC", "60000000", "WATCHDOG_PID", "7"), 7))
        .contains(Duration.ofSeconds(30));
    assertThat(Watchdog.feedEvery(Map.of("WATCHDOG_USEC", "3000000"), 7))
        .contains(Duration.ofMillis(1500));
  }

  @Test
  void feedEvery_anotherProcess_isNotFed() {
    assertThat(Watchdog.feedEvery(Map.of("WATCHDOG_USEC", "60000000", "WATCHDOG_PID", "8"), 7))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "soon", "-1", "9999999999999999999"})
  void feedEvery_noTime_noWatchdog(String micros) {
    assertThat(Watchdog.feedEvery(Map.of("WATCHDOG_USEC", micros), 7)).isEmpty();
    assertThat(Watchdog.feedEvery(Map.of(), 7)).isEmpty();
  }
}
