package org.tpubootd;

import java.io.IOException;
import java.time.Duration;
import org.tpubootd.config.Config;
import org.tpubootd.container.Engine;
import org.tpubootd.container.HostImages;

/** The images of the host for one command, with the engine and the log-in that the daemon has. */
public final class ImagesOnce implements AutoCloseable {

  /** How long an absent metadata server is asked which image tpu-env names. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final MetadataSource metadata;
  private final Engine engine;
  private final HostImages images;

  public ImagesOnce(Surroundings host, Config config) {
    metadata = MetadataSource.asking(host, config.metadata(), PATIENCE);
    engine = Daemon.engine(host, config);
    images =
        new HostImages(
            config.containers(),
            engine,
            metadata.registryLogin(),
            metadata::vbarImage,
            host.root(),
            host.time());
  }

  public HostImages images() {
    return images;
  }

  @Override
  public void close() throws IOException {
    metadata.close();
    engine.close();
  }
}
