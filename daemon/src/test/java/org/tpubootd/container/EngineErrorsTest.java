package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests for {@link EngineErrors}. */
class EngineErrorsTest {

  private final EngineErrors errors = new EngineErrors("unix:///run/docker.sock");

  @Test
  void of_whatNobodyHasThoughtOfIsAnErrorLikeOthers() {
    var cause = new IllegalArgumentException("no such header");

    assertThat(errors.of("pull x", cause))
        .isInstanceOf(EngineException.Unexpected.class)
        .hasCause(cause)
        .hasMessage(
            "cannot pull x at unix:///run/docker.sock: it broke with"
                + " java.lang.IllegalArgumentException: no such header");
  }
}
