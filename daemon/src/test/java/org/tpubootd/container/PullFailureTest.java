package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for {@link PullFailure}. The words are those of Docker 20.10 and 28. */
class PullFailureTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no basic auth credentials                                        | AUTH
          unauthorized: You don't have the needed permissions              | AUTH
          denied: Permission "artifactregistry.repositories.downloadArtifacts" denied | AUTH
          pull access denied for x, repository does not exist or may require 'docker login' | AUTH
          manifest for gcr.io/p/vbar:9 not found: manifest unknown         | NOT_FOUND
          name unknown: Repository "x" not found                           | NOT_FOUND
          Get "https://gcr.io/v2/": dial tcp: lookup gcr.io: no such host  | NETWORK
          Get "https://gcr.io/v2/": dial tcp 1.2.3.4:443: i/o timeout      | NETWORK
          Get "https://gcr.io/v2/": net/http: TLS handshake timeout        | NETWORK
          Get "https://gcr.io/v2/": x509: certificate signed by unknown authority | NETWORK
          unexpected EOF                                                   | NETWORK
          EOF                                                              | NETWORK
          Get "https://gcr.io/v2/": EOF                                    | NETWORK
          error pulling image configuration: download failed after attempts=6: EOF | NETWORK
          write /var/lib/docker/tmp/x: no space left on device             | DISK_FULL
          Get "http://x/v2/": net/http: HTTP/1.x transport connection broken: malformed MIME header | NETWORK
          Get "http://x/v2/": http: server closed idle connection         | NETWORK
          Get "http://x/v2/p/blobs/sha256:2324401d21820403": EOF           | NETWORK
          manifest for x:40301/p@sha256:2324401d not found: manifest unknown | NOT_FOUND
          received unexpected HTTP status: 403 No                          | AUTH
          toomanyrequests: Quota exceeded for quota metric 'Requests per minute' | BUSY
          toomanyrequests: You have reached your unauthenticated pull rate limit | BUSY
          received unexpected HTTP status: 503 Service Unavailable         | BUSY
          something quite new                                              | OTHER
          """)
  void said_tellsTheKindsApart(String words, PullFailure.Kind kind) {
    var failure = PullFailure.said(ImageName.parse("gcr.io/p/vbar:9"), words, "tried without");
    assertThat(failure.kind).isEqualTo(kind);
    assertThat(failure).hasMessageContaining(words).hasMessageContaining("gcr.io/p/vbar:9");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gcr.io/p/agent-tls:1", "gcr.io/p/timeout:1", "gcr.io/p/vbar:denied"})
  void said_wordsOfTheNameTellNothing(String text) {
    var image = ImageName.parse(text);
    for (String words :
        List.of(
            "manifest for " + text + " not found: manifest unknown",
            "repository " + image.repository() + " not found: name unknown")) {
      assertThat(PullFailure.said(image, words, "tried without").kind)
          .as(words)
          .isEqualTo(PullFailure.Kind.NOT_FOUND);
    }
  }
}
