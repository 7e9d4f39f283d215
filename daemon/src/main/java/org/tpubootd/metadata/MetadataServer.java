package org.tpubootd.metadata;

import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.glassfish.jersey.CommonProperties;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.HttpUrlConnectorProvider;
import org.glassfish.jersey.client.JerseyClientBuilder;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.MetadataConfig;
import org.tpubootd.core.Deadline;

/**
 * The metadata server over HTTP. Follows no redirect and uses no proxy: what answers must be the
 * server itself.
 */
public final class MetadataServer implements Metadata, AutoCloseable {

  private static final String ROOT = "/computeMetadata/v1/";

  /** The server closes its wait in time as a rule; this is for what lies between. */
  private static final Duration LONGER_THAN_THE_SERVER = Duration.ofSeconds(10);

  private static final int LAST_PORT = 65535;

  private final MetadataConfig config;
  private final String host;
  private final AnswerReader reader;

  /** Held, since java.util.logging forgets the level of a logger that nobody holds. */
  private final Logger jerseyLog = Logger.getLogger("org.glassfish.jersey");

  private @Nullable Client client;

  /**
   * @param clock for a Retry-After that is given as a date
   */
  public MetadataServer(MetadataConfig config, InstantSource clock) {
    this.config = config;
    this.host = bracketed(config.host());
    this.reader = new AnswerReader(clock);
  }

  @Override
  public Answer get(MetadataPath path) throws InterruptedException {
    return ask(path, "", config.readTimeout());
  }

  @Override
  public Answer waitForChange(MetadataPath path, String etag) throws InterruptedException {
    String query =
        "?wait_for_change=true&last_etag=%s&timeout_sec=%d&alt=text"
            .formatted(MetadataPath.escape(etag), Math.max(1, config.watchTimeout().toSeconds()));
    return ask(path, query, config.watchTimeout().plus(LONGER_THAN_THE_SERVER));
  }

  private Answer ask(MetadataPath path, String query, Duration limit) throws InterruptedException {
    String asking = "asking the metadata server at " + host + " for " + path;
    Optional<URI> uri = uri(path + query);
    if (uri.isEmpty()) {
      return new Answer.Refused(
          asking + ": that is no host name or address",
          "correct GCE_METADATA_HOST in the environment or metadata.host in the configuration");
    }
    // The read timeout is for each read: a server that drips could hold a call for ever. The
    // deadline's interrupt closes the socket, since the call runs on a virtual thread.
    Duration whole = config.connectTimeout().plus(limit);
    try {
      return Deadline.call(asking, whole, () -> exchange(asking, uri.get(), limit));
    } catch (Deadline.Passed e) {
      return later(asking, "no whole answer within " + whole.toMillis() + " ms");
    } catch (IOException e) {
      return later(asking, Trouble.words(e));
    } catch (ProcessingException e) {
      if (e.getCause() instanceof IOException io) {
        return later(asking, Trouble.words(io));
      }
      throw e;
    }
  }

  private Answer exchange(String asking, URI uri, Duration limit) throws IOException {
    try (Response response =
        client()
            .target(uri)
            .request("*/*")
            .header("Metadata-Flavor", "Google")
            .header("User-Agent", "tpu-bootd")
            .property(ClientProperties.READ_TIMEOUT, Math.toIntExact(limit.toMillis()))
            .get()) {
      return reader.read(asking, response);
    }
  }

  /** Empty where the host is something else than a host with an optional port. */
  private Optional<URI> uri(String pathAndQuery) {
    try {
      var uri = new URI("http://" + host + ROOT + pathAndQuery).parseServerAuthority();
      return Optional.of(uri)
          .filter(made -> host.equals(made.getRawAuthority()) && made.getPort() <= LAST_PORT);
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /** Gives back what the client holds; a later question opens it again. */
  @Override
  public synchronized void close() {
    if (client != null) {
      client.close();
      client = null;
    }
  }

  private static Answer later(String asking, String trouble) {
    return new Answer.TryLater(asking + ": " + trouble, Optional.empty());
  }

  /** Made at the first call, on the caller's thread: it loads most of Jersey. */
  private synchronized Client client() {
    Client made = client;
    if (made == null) {
      // Jersey warns that HK2 is missing, which it does well without. Errors are still told.
      jerseyLog.setLevel(Level.SEVERE);
      var jersey =
          new ClientConfig()
              .connectorProvider(
                  new HttpUrlConnectorProvider().connectionFactory(new WithoutProxy()))
              .property(CommonProperties.PROVIDER_DEFAULT_DISABLE, "ALL")
              .property(ClientProperties.FOLLOW_REDIRECTS, false)
              .property(
                  ClientProperties.CONNECT_TIMEOUT,
                  Math.toIntExact(config.connectTimeout().toMillis()));
      made = new JerseyClientBuilder().withConfig(jersey).build();
      client = made;
    }
    return made;
  }

  /**
   * The server is on the host itself: a proxy could only answer in its name. Jersey asks the system
   * for a proxy and hands it in, and the JDK does where it was given none.
   */
  private static final class WithoutProxy implements HttpUrlConnectorProvider.ConnectionFactory {
    @Override
    public HttpURLConnection getConnection(URL url) throws IOException {
      return (HttpURLConnection) url.openConnection(Proxy.NO_PROXY);
    }

    @Override
    public HttpURLConnection getConnection(URL url, @Nullable Proxy proxy) throws IOException {
      return getConnection(url);
    }
  }

  /** A bare IPv6 address gets the brackets that a URI wants. */
  private static String bracketed(String host) {
    boolean bareIpv6 = host.indexOf(':') != host.lastIndexOf(':') && !host.startsWith("[");
    return bareIpv6 ? "[" + host + "]" : host;
  }
}
