package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.PullResponseItem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":\"denied\"}",
        "{\"errorDetail\":{\"message\":\"denied\"}}",
        "{\"errorDetail\":{\"message\":\"denied\"},\"error\":\"denied\"}",
        "{\"errorDetail\":{\"code\":1},\"error\":\"denied\"}",
      })
  void in_eitherFieldOfTheStream(String item) throws Exception {
    assertThat(EngineErrors.in(new ObjectMapper().readValue(item, PullResponseItem.class)))
        .contains("denied");
  }

  @Test
  void in_itemWithoutAnError() throws Exception {
    assertThat(
            EngineErrors.in(
                new ObjectMapper().readValue("{\"status\":\"x\"}", PullResponseItem.class)))
        .isEmpty();
  }
}
