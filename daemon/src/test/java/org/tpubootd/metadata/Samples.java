package org.tpubootd.metadata;

import java.time.Duration;
import org.tpubootd.config.MetadataConfig;

/** What the tests of this room share. */
final class Samples {

  static final MetadataPath TPU_ENV = MetadataPath.attribute("tpu-env");

  private Samples() {}

  /** A configuration whose limits no healthy test comes near. */
  static MetadataConfig patient(String host) {
    return config(host, Duration.ofSeconds(20));
  }

  static MetadataConfig config(String host, Duration readTimeout) {
    return new MetadataConfig(
        host, Duration.ofMillis(500), readTimeout, Duration.ofSeconds(60), Duration.ofSeconds(30));
  }
}
