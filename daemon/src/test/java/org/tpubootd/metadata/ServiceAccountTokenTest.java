package org.tpubootd.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tpubootd.metadata.ScriptedMetadata.later;
import static org.tpubootd.metadata.ScriptedMetadata.value;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.core.FakeTime;

class ServiceAccountTokenTest {

  private final FakeTime time = new FakeTime();
  private final ScriptedMetadata server = new ScriptedMetadata(time);
  private final ServiceAccountToken token = new ServiceAccountToken(server, time);

  @Test
  void fetch_givesTokenAndExpiry() throws Exception {
    server.then(
        value(
            """
            {"access_token":"ya29.secret","expires_in":3599,"token_type":"Bearer"}
            """,
            "e"));
    Instant expiry = time.instant().plus(Duration.ofSeconds(3599));

    assertThat(token.fetch()).contains(new AccessToken("ya29.secret", expiry));
    assertThat(server.questions()).containsExactly("get instance/service-accounts/default/token");
  }

  @Test
  void fetch_asksAnewAtEachCall() throws Exception {
    String json = "{\"access_token\":\"%s\",\"expires_in\":10}";
    server.then(value(json.formatted("one"), "e")).then(value(json.formatted("two"), "e"));

    assertThat(token.fetch()).map(AccessToken::value).contains("one");
    assertThat(token.fetch()).map(AccessToken::value).contains("two");
  }

  @Test
  void fetch_noServiceAccountIsNoToken() throws Exception {
    server.then(new Answer.Absent("404"));

    assertThat(token.fetch()).isEmpty();
  }

  @Test
  void fetch_failuresAreSentences() {
    server.then(later("asking: connection refused")).then(new Answer.Refused("asking: 403", "x"));

    assertThatThrownBy(token::fetch)
        .isInstanceOf(IOException.class)
        .hasMessage("asking: connection refused");
    assertThatThrownBy(token::fetch).isInstanceOf(IOException.class).hasMessage("asking: 403");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ya29.secret",
        "{\"access_token\":\"ya29.secret\"",
        "{\"access_token\":\"ya29.secret\"}",
        "{\"access_token\":\"ya29.secret\",\"expires_in\":\"soon\"}",
        "{\"access_token\":\"ya29.secret\",\"expires_in\":1e30}",
        "{\"access_token\":\"ya29.secret\",\"expires_in\":99999999999999}",
        "{\"access_token\":\"\",\"expires_in\":10}",
        "{\"access_token\":{\"a\":\"ya29.secret\"},\"expires_in\":10}",
        "[\"ya29.secret\"]",
      })
  void fetch_whatIsNoTokenIsToldWithoutAnyOfIt(String answer) {
    server.then(value(answer, "e"));

    assertThatThrownBy(token::fetch)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "asking the metadata server for instance/service-accounts/default/token: the answer ")
        .hasMessageNotContaining("ya29")
        .hasNoCause();
  }

  @Test
  void token_doesNotShowItself() {
    assertThat(new AccessToken("ya29.secret", Instant.EPOCH))
        .hasToString("AccessToken[expiresAt=1970-01-01T00:00:00Z]");
  }
}
