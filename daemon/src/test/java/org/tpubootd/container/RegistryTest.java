package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for {@link Registry}. */
class RegistryTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gcr.io",
        "us.gcr.io",
        "eu.gcr.io",
        "asia.gcr.io",
        "us-docker.pkg.dev",
        "europe-west4-docker.pkg.dev",
      })
  void isGoogles_googlesHosts(String host) {
    assertThat(Registry.isGoogles(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docker.io",
        "ghcr.io",
        "gcr.io.evil.com",
        "evilgcr.io",
        "evil.gcr.io",
        "gcr.io:443",
        "gcr.io.",
        "GCR.IO",
        "k8s.gcr.io.",
        "-docker.pkg.dev.evil.com",
        "docker.pkg.dev",
        "-docker.pkg.dev",
        "a.us-docker.pkg.dev",
        "us_docker.pkg.dev",
        "us-dockerXpkg.dev",
        "us-docker.pkg.dev:8080",
        "us-docker.pkg.dev\n",
        "user@gcr.io",
        "localhost:5000",
        "",
      })
  void isGoogles_nobodyElses(String host) {
    assertThat(Registry.isGoogles(host)).isFalse();
  }
}
