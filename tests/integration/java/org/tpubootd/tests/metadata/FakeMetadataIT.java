package org.tpubootd.tests.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tpubootd.testbed.FakeMetadata;

/** The fake itself, by another client than the daemon's. */
class FakeMetadataIT {

  private final HttpClient client = HttpClient.newHttpClient();
  private FakeMetadata fake;

  @BeforeEach
  void start() throws Exception {
    fake = FakeMetadata.start(0);
  }

  @AfterEach
  void stop() {
    fake.close();
    client.shutdownNow();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://" + fake.host() + "/computeMetadata/v1/" + path))
        .header("Metadata-Flavor", "Google");
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(request(path).build(), BodyHandlers.ofString());
  }

  @Test
  void leaf_hasTextFlavorAndEtag() throws Exception {
    fake.set("tpu-env", "ZONE: 'zürich'\n");

    var answer = get("instance/attributes/tpu-env");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("ZONE: 'zürich'\n");
    assertThat(answer.headers().firstValue("Metadata-Flavor")).contains("Google");
    assertThat(answer.headers().firstValue("ETag").orElseThrow()).matches("[0-9a-f]{16}");
  }

  @Test
  void leaf_emptyValue() throws Exception {
    fake.set("empty", "");

    assertThat(get("instance/attributes/empty").statusCode()).isEqualTo(200);
    assertThat(get("instance/attributes/empty").body()).isEmpty();
  }

  @Test
  void request_withoutTheHeaderIs403() throws Exception {
    fake.set("tpu-env", "x");
    var request =
        HttpRequest.newBuilder(
                URI.create("http://" + fake.host() + "/computeMetadata/v1/instance/attributes/"))
            .build();

    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(403);
  }

  @Test
  void missingKey_isAnHtmlPage() throws Exception {
    var answer = get("instance/attributes/none");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("<html");
    assertThat(get("instance/attributes/none?wait_for_change=true").statusCode()).isEqualTo(404);
  }

  @Test
  void directories_areListedAndRecursiveOnesAreJson() throws Exception {
    fake.set("a", "1").set("b", "two \"2\"").put("instance/network-interfaces/0/ip", "10.0.0.2");

    assertThat(get("instance/attributes/").body()).isEqualTo("a\nb\n");
    assertThat(get("instance/").body()).isEqualTo("attributes/\nnetwork-interfaces/\n");
    assertThat(get("instance/attributes/?recursive=true").body())
        .isEqualTo("{\"a\":\"1\",\"b\":\"two \\\"2\\\"\"}");
    assertThat(get("instance/?recursive=true").body())
        .isEqualTo(
            "{\"attributes\":{\"a\":\"1\",\"b\":\"two \\\"2\\\"\"},"
                + "\"network-interfaces\":{\"0\":{\"ip\":\"10.0.0.2\"}}}");
    assertThat(get("instance/attributes/?recursive=true&alt=text").body())
        .isEqualTo("a 1\nb two \"2\"\n");
  }

  @Test
  void keys_areUnescaped() throws Exception {
    fake.set("a b?%é", "odd");

    assertThat(get("instance/attributes/a%20b%3F%25%C3%A9").body()).isEqualTo("odd");
  }

  @Test
  void token_isThereOnceThereIsAServiceAccount() throws Exception {
    assertThat(get("instance/service-accounts/default/token").statusCode()).isEqualTo(404);

    fake.serviceAccount("ya29.x", Duration.ofHours(1));

    assertThat(get("instance/service-accounts/default/token").body())
        .isEqualTo("{\"access_token\":\"ya29.x\",\"expires_in\":3600,\"token_type\":\"Bearer\"}");
  }

  @Test
  void longPoll_isHeldUntilTheValueChanges() throws Exception {
    fake.set("tpu-env", "one");
    String etag = get("instance/attributes/tpu-env").headers().firstValue("ETag").orElseThrow();

    var held = poll("instance/attributes/tpu-env?wait_for_change=true&last_etag=" + etag);
    Awaitility.await().until(() -> fake.requests().size() == 2);
    assertThat(held).isNotDone();
    fake.set("other", "does not wake it");
    assertThat(held).isNotDone();
    fake.set("tpu-env", "two");

    assertThat(held.get().body()).isEqualTo("two");
  }

  @Test
  void longPoll_withAnOldEtagEndsAtOnce() throws Exception {
    fake.set("tpu-env", "one");

    assertThat(
            get("instance/attributes/tpu-env?wait_for_change=true&last_etag=0&timeout_sec=60")
                .body())
        .isEqualTo("one");
  }

  @Test
  void longPoll_timeoutGivesTheSameEtag() throws Exception {
    fake.set("tpu-env", "one");
    String path = "instance/attributes/tpu-env";
    String etag = get(path).headers().firstValue("ETag").orElseThrow();

    var answer = get(path + "?wait_for_change=true&timeout_sec=1&last_etag=" + etag);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("ETag")).contains(etag);
  }

  @Test
  void longPoll_ofAKeyThatGoesIs404() throws Exception {
    fake.set("tpu-env", "one");

    var held = poll("instance/attributes/tpu-env?wait_for_change=true");
    Awaitility.await().until(() -> fake.requests().size() == 1);
    fake.remove("tpu-env");

    assertThat(held.get().statusCode()).isEqualTo(404);
  }

  private CompletableFuture<HttpResponse<String>> poll(String path) {
    return client.sendAsync(request(path).build(), BodyHandlers.ofString());
  }
}
