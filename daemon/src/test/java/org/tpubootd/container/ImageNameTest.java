package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests for {@link ImageName}. */
class ImageNameTest {

  @ParameterizedTest
  @CsvSource({
    "gcr.io/cloud-tpu-v2-images/vbar:0.0.1, gcr.io, gcr.io/cloud-tpu-v2-images/vbar, 0.0.1",
    "gcr.io/p/vbar, gcr.io, gcr.io/p/vbar, latest",
    "gcr.io/p/vbar@sha256:abc, gcr.io, gcr.io/p/vbar, sha256:abc",
    "gcr.io/p/vbar:1@sha256:abc, gcr.io, gcr.io/p/vbar, sha256:abc",
    "127.0.0.1:5000/vbar, 127.0.0.1:5000, 127.0.0.1:5000/vbar, latest",
    "127.0.0.1:5000/vbar:2, 127.0.0.1:5000, 127.0.0.1:5000/vbar, 2",
    "localhost/vbar:2, localhost, localhost/vbar, 2",
    "busybox, docker.io, busybox, latest",
    "busybox:1.36, docker.io, busybox, 1.36",
    "google/vbar:1, docker.io, google/vbar, 1",
  })
  void parse_followsDockersRules(String text, String registry, String repository, String version) {
    assertThat(ImageName.parse(text)).isEqualTo(new ImageName(text, registry, repository, version));
  }
}
