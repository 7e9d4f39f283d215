package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WantedImageTest {

  @ParameterizedTest
  @CsvSource({
    "gcr.io/p/agent:1.2, agent-1.2",
    "localhost:5000/agent:1, agent-1",
    "docker.io/library/busybox, busybox-latest",
    "gcr.io/p/agent@sha256:0123, agent-sha256-0123",
  })
  void named_isCalledByTheLastPartAndTheVersion(String image, String name) {
    assertThat(WantedImage.named(image).name()).isEqualTo(name);
  }
}
