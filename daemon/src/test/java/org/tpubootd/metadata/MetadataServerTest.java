package org.tpubootd.metadata;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.absent;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.getRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.core.FakeTime;

class MetadataServerTest {

  @RegisterExtension
  static final WireMockExtension wire =
      WireMockExtension.newInstance()
          .options(options().dynamicPort().bindAddress("127.0.0.1"))
          .build();

  private final FakeTime clock = new FakeTime();

  private MetadataServer server() {
    return new MetadataServer(Samples.patient(host()), clock);
  }

  private static String host() {
    return "127.0.0.1:" + wire.getPort();
  }

  private static ResponseDefinitionBuilder good(String text) {
    return aResponse()
        .withHeader("Metadata-Flavor", "Google")
        .withHeader("Content-Type", "application/text")
        .withHeader("ETag", "f00d")
        .withBody(text);
  }

  private static void answerWith(ResponseDefinitionBuilder answer) {
    wire.stubFor(any(anyUrl()).willReturn(answer));
  }

  @Test
  void get_asksWithTheHeaderAndGivesTextAndEtag() throws Exception {
    answerWith(good("ZONE: 'zürich'\n"));

    assertThat(server().get(Samples.TPU_ENV))
        .isEqualTo(new Answer.Value("ZONE: 'zürich'\n", "f00d"));

    wire.verify(
        getRequestedFor(urlEqualTo("/computeMetadata/v1/instance/attributes/tpu-env"))
            .withHeader("Metadata-Flavor", equalTo("Google"))
            .withHeader("User-Agent", equalTo("tpu-bootd"))
            .withHeader("Accept", equalTo("*/*")));
  }

  @Test
  void get_emptyValueIsAValue() throws Exception {
    answerWith(good(""));

    assertThat(server().get(Samples.TPU_ENV)).isEqualTo(new Answer.Value("", "f00d"));
  }

  @Test
  void get_escapesEveryOddCharacterOfAKey() throws Exception {
    answerWith(good("x"));

    server().get(MetadataPath.attribute("a b?c/d%e&f#g+{h}é"));

    wire.verify(
        getRequestedFor(
            urlEqualTo(
                "/computeMetadata/v1/instance/attributes/"
                    + "a%20b%3Fc%2Fd%25e%26f%23g%2B%7Bh%7D%C3%A9")));
  }

  @Test
  void waitForChange_sendsEtagAndTimeout() throws Exception {
    answerWith(good("x"));

    server().waitForChange(Samples.TPU_ENV, "a&b=c d");

    wire.verify(
        getRequestedFor(urlPathEqualTo("/computeMetadata/v1/instance/attributes/tpu-env"))
            .withQueryParam("wait_for_change", equalTo("true"))
            .withQueryParam("last_etag", equalTo("a&b=c d"))
            .withQueryParam("timeout_sec", equalTo("60"))
            .withQueryParam("alt", equalTo("text"))
            .withHeader("Metadata-Flavor", equalTo("Google")));
  }

  @Test
  void get_sendsNoQuery() throws Exception {
    answerWith(good("x"));

    server().get(Samples.TPU_ENV);

    wire.verify(
        getRequestedFor(urlPathEqualTo("/computeMetadata/v1/instance/attributes/tpu-env"))
            .withQueryParam("alt", absent()));
  }

  @ParameterizedTest
  @CsvSource({
    "::1, [::1]",
    "fd20:ce::254, [fd20:ce::254]",
    "[fd20:ce::254]:8080, [fd20:ce::254]:8080",
    "metadata.google.internal, metadata.google.internal",
    "localhost:8080, localhost:8080",
  })
  void host_bareIpv6AddressesGetBrackets(String given, String shown) throws Exception {
    var server = new MetadataServer(Samples.config(given, Duration.ofMillis(1)), clock);

    // Whether something answers there does not matter: every kind of cause names the host.
    assertThat(Reading.of(server.get(Samples.TPU_ENV), null).cause())
        .startsWith(
            "asking the metadata server at " + shown + " for instance/attributes/tpu-env: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"no host", "http://169.254.169.254", "host:port", "host:99999", "a_b:", "[::1"})
  void host_thatIsNoneIsRefusedWithASentence(String host) throws Exception {
    var server = new MetadataServer(Samples.patient(host), clock);

    assertThat(server.get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            refused -> {
              assertThat(refused.cause()).endsWith("that is no host name or address");
              assertThat(refused.action()).contains("GCE_METADATA_HOST", "metadata.host");
            });
  }

  @Test
  void get_asksNoProxy() throws Exception {
    answerWith(good("x"));
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(new ProxyThatIsAway());
    System.setProperty("http.proxyHost", "127.0.0.1");
    System.setProperty("http.proxyPort", "1");
    System.setProperty("http.nonProxyHosts", "");
    try {
      assertThat(server().get(Samples.TPU_ENV)).isInstanceOf(Answer.Value.class);
    } finally {
      ProxySelector.setDefault(before);
      List.of("http.proxyHost", "http.proxyPort", "http.nonProxyHosts")
          .forEach(System::clearProperty);
    }
  }

  @Test
  void answer_404IsAbsentAndItsPageIsNotRead() throws Exception {
    answerWith(aResponse().withStatus(404).withBody("<html>Not Found</html>"));

    assertThat(server().get(Samples.TPU_ENV))
        .isEqualTo(
            new Answer.Absent(
                "asking the metadata server at "
                    + host()
                    + " for instance/attributes/tpu-env: it answered 404 Not Found"));
  }

  @ParameterizedTest
  @ValueSource(ints = {201, 204, 206, 304, 400, 401, 402, 403, 405, 408, 410, 418})
  void answer_refusals(int status) throws Exception {
    answerWith(good("not to be taken").withStatus(status));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            refused -> {
              assertThat(refused.cause())
                  .contains(" for instance/attributes/tpu-env: it answered " + status);
              assertThat(refused.action()).isNotBlank();
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 500, 501, 502, 503, 504, 599})
  void answer_wishesToBeAskedLater(int status) throws Exception {
    answerWith(good("not to be taken").withStatus(status));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.TryLater.class,
            later -> {
              assertThat(later.cause()).contains("it answered " + status);
              assertThat(later.retryAfter()).isEmpty();
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "7 | PT7S",
        "0 | PT0S",
        // FakeTime's clock stands at 08:00:00 on that day.
        "Mon, 30 Nov 2026 08:00:20 GMT | PT20S",
        "Mon, 30 Nov 2026 07:00:00 GMT | PT0S",
        "soon | none",
        "-1 | none",
        "99999999999999999999 | none",
      })
  void answer_retryAfter(String header, Duration wanted) throws Exception {
    answerWith(aResponse().withStatus(503).withHeader("Retry-After", header));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.TryLater.class,
            later -> assertThat(later.retryAfter()).isEqualTo(Optional.ofNullable(wanted)));
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void answer_redirectsAreNotFollowed(int status) throws Exception {
    answerWith(
        aResponse()
            .withStatus(status)
            .withHeader("Metadata-Flavor", "Google")
            .withHeader("Location", "http://" + host() + "/elsewhere"));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            refused ->
                assertThat(refused.cause())
                    .endsWith("to http://" + host() + "/elsewhere, and no redirect is followed"));
    wire.verify(0, getRequestedFor(urlEqualTo("/elsewhere")));
  }

  @Test
  void answer_withoutTheFlavorHeaderIsRefused() throws Exception {
    answerWith(aResponse().withBody("ZONE: 'z'"));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            refused -> assertThat(refused.cause()).contains("lacks the header Metadata-Flavor"));
  }

  @Test
  void answer_withAnotherFlavorIsRefused() throws Exception {
    answerWith(aResponse().withBody("ZONE: 'z'").withHeader("Metadata-Flavor", "Other"));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            refused -> assertThat(refused.cause()).contains("has another Metadata-Flavor"));
  }

  @Test
  void answer_anHtmlPageIsRefused() throws Exception {
    answerWith(good("<html>Log in</html>").withHeader("Content-Type", "text/html; charset=UTF-8"));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            refused -> assertThat(refused.cause()).contains("an HTML page came"));
  }

  @Test
  void answer_withAnUnreadableContentTypeIsTakenByItsBody() throws Exception {
    answerWith(good("x").withHeader("Content-Type", "what is this"));

    assertThat(server().get(Samples.TPU_ENV)).isEqualTo(new Answer.Value("x", "f00d"));
  }

  @Test
  void answer_ofOneMebibyteIsTaken() throws Exception {
    answerWith(good("x".repeat(1 << 20)));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Value.class, value -> assertThat(value.text()).hasSize(1 << 20));
  }

  @Test
  void answer_aByteLongerIsRefused() throws Exception {
    answerWith(good("x".repeat((1 << 20) + 1)));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            refused -> assertThat(refused.cause()).contains("longer than 1048576 bytes"));
  }

  @Test
  void answer_thatIsNotUtf8IsRefused() throws Exception {
    answerWith(good("").withBody("Zürich".getBytes(ISO_8859_1)));

    assertThat(server().get(Samples.TPU_ENV))
        .isInstanceOfSatisfying(
            Answer.Refused.class, refused -> assertThat(refused.cause()).contains("not UTF-8"));
  }

  @ParameterizedTest
  // The fourth, MALFORMED_RESPONSE_CHUNK, comes with a good head that lacks the flavor.
  @EnumSource(value = Fault.class, mode = EXCLUDE, names = "MALFORMED_RESPONSE_CHUNK")
  void answer_brokenConnectionsAreTriedLater(Fault fault) throws Exception {
    answerWith(aResponse().withFault(fault));

    assertThat(server().get(Samples.TPU_ENV)).isInstanceOf(Answer.TryLater.class);
  }

  @Test
  void jersey_doesNotTellThatItsInjectionIsMissing() throws Exception {
    answerWith(good("x"));
    var records = new ArrayList<LogRecord>();
    var jersey = Logger.getLogger("org.glassfish.jersey");
    jersey.setLevel(null);
    var handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            records.add(record);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    jersey.addHandler(handler);
    try {
      server().get(Samples.TPU_ENV);
    } finally {
      jersey.removeHandler(handler);
    }

    assertThat(records).isEmpty();
  }

  @Test
  void value_doesNotShowItsText() {
    assertThat(new Answer.Value("a secret", "f00d")).asString().doesNotContain("secret");
  }

  private static final class ProxyThatIsAway extends ProxySelector {
    @Override
    public List<Proxy> select(URI uri) {
      return List.of(
          new Proxy(Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)));
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
      throw new AssertionError("went by a proxy to " + uri);
    }
  }
}
