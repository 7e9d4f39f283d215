package org.tpubootd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.tpubootd.config.MetadataConfig;
import org.tpubootd.container.RegistryLogin;
import org.tpubootd.env.TpuEnv;
import org.tpubootd.env.TpuEnvSource;
import org.tpubootd.metadata.Attributes;
import org.tpubootd.metadata.DirectAttributes;
import org.tpubootd.metadata.MetadataServer;
import org.tpubootd.metadata.ServiceAccountToken;
import org.tpubootd.metadata.WatchedAttributes;
import org.tpubootd.pci.Expected;

/** What the parts get from the metadata server. */
public final class MetadataSource implements AutoCloseable {

  /** The attributes that the parts read. */
  private static final List<String> KEYS =
      List.of(
          TpuEnvSource.ATTRIBUTE,
          "worker-network-endpoints",
          "accelerator-type",
          "agent-worker-number",
          "worker-id");

  /** The registries' name for a user that logs in with an access token. */
  private static final String TOKEN_USER = "oauth2accesstoken";

  private final MetadataServer server;
  private final Surroundings host;
  private final Runnable close;
  final Attributes attributes;
  final TpuEnvSource tpuEnv;

  private MetadataSource(
      MetadataServer server, Attributes attributes, Runnable close, Surroundings host) {
    this.server = server;
    this.attributes = attributes;
    this.tpuEnv = new TpuEnvSource(attributes);
    this.close = close;
    this.host = host;
  }

  /** For the daemon: attributes are watched from now on, and each change is told. */
  static MetadataSource watching(
      Surroundings host, MetadataConfig config, Consumer<String> onChange) {
    MetadataServer server = server(host, config);
    var watched =
        new WatchedAttributes(
            server, KEYS, config.longestRetry(), host.time(), host.random(), onChange);
    watched.start();
    return new MetadataSource(server, watched, watched::close, host);
  }

  /** For a command that asks once; an absent server is asked again for so long. */
  static MetadataSource asking(Surroundings host, MetadataConfig config, Duration patience) {
    MetadataServer server = server(host, config);
    var direct = new DirectAttributes(server, patience, host.time(), host.random());
    return new MetadataSource(server, direct, () -> {}, host);
  }

  /** The server itself. */
  public static MetadataServer server(Surroundings host, MetadataConfig config) {
    return new MetadataServer(config, host.time());
  }

  /** The VM's service account, as a log-in to a registry. */
  RegistryLogin registryLogin() {
    var token = new ServiceAccountToken(server, host.time());
    return _ ->
        token.fetch().map(found -> new RegistryLogin.Credentials(TOKEN_USER, found.value()));
  }

  /**
   * What tpu-env promises of the hardware, which is nothing where there is no tpu-env; empty while
   * it is not known whether there is one.
   */
  Optional<Expected> expectedHardware() {
    try {
      return tpuEnv.known(MetadataSource::expected, Expected.NOTHING);
    } catch (InterruptedException e) {
      // The pass that asks is being ended: it is told so, and needs no answer any more.
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Expected expected(TpuEnv env) {
    return Expected.from(
        env.value("ACCELERATOR_TYPE").or(() -> env.value("TPU_ACCELERATOR_TYPE")),
        env.value("CHIPS_PER_HOST_BOUNDS"));
  }

  @Override
  public void close() {
    close.run();
    server.close();
  }
}
