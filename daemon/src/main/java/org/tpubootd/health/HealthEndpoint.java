package org.tpubootd.health;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.HealthConfig;
import org.tpubootd.core.Board;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;
import org.tpubootd.core.Step;
import org.tpubootd.core.Time;

/**
 * Keeps the health endpoint listening and answering. The host can be ready without it: a port that
 * somebody else holds is a finding, tried again, and no reason to end.
 *
 * <p>Enlist the other parts before this one is looked at: an empty board is a ready one.
 */
public final class HealthEndpoint implements Component, AutoCloseable {

  private static final Part PART = new Part("health", Part.Group.SELF, false);

  private final HealthConfig config;
  private final Board board;
  private final Supplier<List<String>> stuck;
  private final String version;
  private final Time time;
  private final PortHolder portHolder;
  private volatile @Nullable Listener listener;

  /**
   * @param stuck names of the parts whose loops are stuck; called by many threads at once
   */
  public HealthEndpoint(
      HealthConfig config, Board board, Supplier<List<String>> stuck, String version, Time time) {
    this(config, board, stuck, version, time, new PortHolder(Path.of("/proc")));
  }

  HealthEndpoint(
      HealthConfig config,
      Board board,
      Supplier<List<String>> stuck,
      String version,
      Time time,
      PortHolder portHolder) {
    this.config = config;
    this.board = board;
    this.stuck = stuck;
    this.version = version;
    this.time = time;
    this.portHolder = portHolder;
  }

  @Override
  public Part part() {
    return PART;
  }

  @Override
  public Plan plan() {
    if (!config.enabled()) {
      return Plan.nothingToDo(Finding.inert("switched off", "health.enabled is false"));
    }
    InetAddress address;
    try {
      // No names: a resolver that hangs at boot would hang the endpoint that is to tell of it.
      address = InetAddress.ofLiteral(config.address());
    } catch (IllegalArgumentException e) {
      return Plan.nothingToDo(
          Finding.failed(
              "cannot listen",
              "health.address is '" + config.address() + "', which is no IP address",
              "set health.address to one such as 127.0.0.1"));
    }
    var wanted = new InetSocketAddress(address, config.port());
    Listener open = listener;
    if (open == null) {
      return new Plan(
          Finding.waiting("not listening yet", "nothing listens on " + url(wanted), null),
          List.of(new Step("listen on " + url(wanted), "nothing of ours listens there")),
          _ -> listen(wanted));
    }
    return open.silence()
        .map(cause ->
            new Plan(
                Finding.failed(
                    "does not answer on " + url(open.address()),
                    "a request of our own to /livez failed: " + cause,
                    "nothing: it is opened anew"),
                List.of(new Step("listen anew on " + url(wanted), "it does not answer: " + cause)),
                _ -> {
                  close();
                  return listen(wanted);
                }))
        .orElseGet(() -> Plan.nothingToDo(listening(open)));
  }

  private Finding listen(InetSocketAddress wanted) {
    try {
      var opened = Listener.open(wanted, new Pages(pages()));
      listener = opened;
      return listening(opened);
    } catch (IOException e) {
      return Finding.failed(
          "cannot listen on " + url(wanted),
          "the kernel said: "
              + e.getMessage()
              + portHolder
                  .holder(wanted.getPort())
                  .map(holder -> "; the port is held by " + holder)
                  .orElse(""),
          "free the port, or set health.address and health.port to what is free on this host");
    }
  }

  private static Finding listening(Listener open) {
    String url = url(open.address());
    return Finding.ok("listening on " + url).withFacts(Map.of("url", url));
  }

  private static String url(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return "http://%s:%d"
        .formatted(host.contains(":") ? "[" + host + "]" : host, address.getPort());
  }

  private Map<String, Page> pages() {
    Instant started = ProcessHandle.current().info().startInstant().orElseGet(() -> time.instant());
    var pages = new LinkedHashMap<String, Page>();
    pages.put("/livez", new LivezPage(stuck));
    pages.put("/readyz", new ReadyzPage(board));
    pages.put("/status", new StatusPage(board, stuck, version, started));
    pages.put("/metrics", new MetricsPage(board, stuck, version, started));
    pages.put("/", new IndexPage());
    return pages;
  }

  /** The port that is listened on, which the kernel chose if the configured one is 0. */
  public OptionalInt port() {
    Listener open = listener;
    return open == null ? OptionalInt.empty() : OptionalInt.of(open.address().getPort());
  }

  /** Stops listening. A pass would open it again, so the loop is stopped first. */
  @Override
  public void close() {
    Listener open = listener;
    listener = null;
    if (open != null) {
      open.close();
    }
  }
}
