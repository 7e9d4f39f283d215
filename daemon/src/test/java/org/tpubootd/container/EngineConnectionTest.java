package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.core.RemoteApiVersion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests for {@link EngineConnection}. */
class EngineConnectionTest {

  @ParameterizedTest(name = "an engine of {1} that refuses below {0} is spoken to in {2}")
  @CsvSource({"1.12, 1.41, 1.41", "1.24, 1.44, 1.44", "1.44, 1.52, 1.44", "1.46, 1.60, 1.46"})
  void choose_newestThatBothKnow(String oldest, String newest, String spoken) {
    assertThat(
            EngineConnection.choose(
                    RemoteApiVersion.parseConfig(newest), RemoteApiVersion.parseConfig(oldest))
                .getVersion())
        .isEqualTo(spoken);
  }
}
