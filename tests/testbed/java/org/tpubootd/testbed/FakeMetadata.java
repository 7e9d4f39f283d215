package org.tpubootd.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A metadata server on 127.0.0.1 that behaves as Compute Engine's does: header demanded, etags,
 * long polls that are held until the value changes, an HTML page for 404; and badly on demand.
 * Values and faults can be changed while it runs. Thread-safe.
 */
public final class FakeMetadata implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(FakeMetadata.class);

  private static final String ROOT = "/computeMetadata/v1/";
  private static final String TOKEN = "instance/service-accounts/default/token";

  /** Guards the tree and the faults; notified of each change of either. */
  private final Object world = new Object();

  private final MetadataTree tree = new MetadataTree();
  private final MetadataFaults faults = new MetadataFaults(world);
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  private FakeMetadata(HttpServer server) {
    this.server = server;
  }

  /**
   * @param port 0 for any free one
   */
  public static FakeMetadata start(int port) throws IOException {
    var server =
        HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), 0);
    var fake = new FakeMetadata(server);
    server.createContext("/", fake::handle);
    server.setExecutor(fake.threads);
    server.start();
    return fake;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** For GCE_METADATA_HOST. */
  public String host() {
    return "127.0.0.1:" + port();
  }

  /** Sets an attribute of the instance. */
  public FakeMetadata set(String key, String value) {
    return put(MetadataTree.ATTRIBUTES + key, value);
  }

  /** Takes an attribute of the instance away. */
  public FakeMetadata remove(String key) {
    return drop(MetadataTree.ATTRIBUTES + key);
  }

  /** Sets any value of the tree, by its path below {@code /computeMetadata/v1/}. */
  public FakeMetadata put(String path, String text) {
    synchronized (world) {
      tree.put(path, text);
      world.notifyAll();
    }
    return this;
  }

  /** Takes any value of the tree away. */
  public FakeMetadata drop(String path) {
    synchronized (world) {
      tree.remove(path);
      world.notifyAll();
    }
    return this;
  }

  /** Gives the VM a service account; there is none at first. */
  public FakeMetadata serviceAccount(String token, Duration validFor) {
    return put(
        TOKEN,
        "{\"access_token\":\"%s\",\"expires_in\":%d,\"token_type\":\"Bearer\"}"
            .formatted(token, validFor.toSeconds()));
  }

  public MetadataFaults faults() {
    return faults;
  }

  /** Every request so far: path and query as they came, below {@code /computeMetadata/v1/}. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** Closes every connection, as a server does that dies. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) {
    try (exchange) {
      answer(new MetadataReply(exchange));
    } catch (IOException e) {
      log.debug("the client of {} went away", exchange.getRequestURI(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(MetadataReply reply) throws IOException, InterruptedException {
    HttpExchange exchange = reply.exchange();
    String raw = exchange.getRequestURI().toString();
    if (!raw.startsWith(ROOT)) {
      reply.page(404);
      return;
    }
    requests.add(raw.substring(ROOT.length()));
    if (!"Google".equals(exchange.getRequestHeaders().getFirst("Metadata-Flavor"))) {
      reply.withoutFlavor().page(403);
      return;
    }
    String path = decode(exchange.getRequestURI().getRawPath().substring(ROOT.length()));
    Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
    Held held = hold(path, query);
    if (held.fault().isPresent()) {
      bad(reply, path, held);
    } else {
      reply.page(held.page());
    }
  }

  /** What there is to answer with, at last. */
  private record Held(Optional<MetadataTree.Page> page, Optional<MetadataFault> fault) {}

  /** Looks the page up; a long poll only ends when it changes, a fault begins or time is up. */
  private Held hold(String path, Map<String, String> query) throws InterruptedException {
    boolean recursive = query.getOrDefault("recursive", "").equalsIgnoreCase("true");
    boolean waits = query.getOrDefault("wait_for_change", "").equalsIgnoreCase("true");
    String alt = query.getOrDefault("alt", "");
    // Without timeout_sec the real server holds a request for very long, too.
    long seconds = Long.parseLong(query.getOrDefault("timeout_sec", "3600"));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    synchronized (world) {
      String known = query.get("last_etag");
      while (true) {
        var page = tree.page(path, recursive, alt);
        var fault = faults.of(path);
        if (known == null) {
          known = page.map(MetadataTree.Page::etag).orElse("");
        }
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        boolean same = page.isPresent() && page.get().etag().equals(known);
        if (!waits || !same || fault.isPresent() || left <= 0) {
          return new Held(page, fault);
        }
        world.wait(left);
      }
    }
  }

  private void bad(MetadataReply reply, String path, Held held)
      throws IOException, InterruptedException {
    MetadataFault fault = held.fault().orElseThrow();
    var page = held.page();
    switch (fault) {
      case MetadataFault.Status status -> reply.with(status.headers()).page(status.code());
      case MetadataFault.Delay delay -> {
        Thread.sleep(delay.duration());
        reply.page(page);
      }
      case MetadataFault.Hang _ -> {
        synchronized (world) {
          while (faults.of(path).filter(fault::equals).isPresent()) {
            world.wait();
          }
        }
        reply.reset();
      }
      case MetadataFault.Reset _ -> reply.reset();
      case MetadataFault.CutBody _ -> reply.cut(page);
      case MetadataFault.NoFlavor _ -> reply.withoutFlavor().page(page);
      case MetadataFault.HtmlPage _ -> reply.page(200);
      case MetadataFault.BodyOf body ->
          reply.page(
              Optional.of(new MetadataTree.Page("application/text", "x".repeat(body.bytes()))));
      case MetadataFault.Redirect redirect ->
          reply.with(Map.of("Location", redirect.location())).page(302);
      case MetadataFault.Drip drip -> reply.drip(page, drip.pause());
      case MetadataFault.NoWait _ -> reply.page(page);
    }
  }

  private static Map<String, String> query(@Nullable String raw) {
    var query = new HashMap<String, String>();
    if (raw != null) {
      for (String pair : raw.split("&", -1)) {
        int equals = pair.indexOf('=');
        query.put(
            decode(equals < 0 ? pair : pair.substring(0, equals)),
            equals < 0 ? "" : decode(pair.substring(equals + 1)));
      }
    }
    return query;
  }

  private static String decode(String escaped) {
    return URLDecoder.decode(escaped.replace("+", "%2B"), UTF_8);
  }
}
