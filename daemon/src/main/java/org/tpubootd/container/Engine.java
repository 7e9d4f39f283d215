package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.AsyncDockerCmd;
import com.github.dockerjava.api.exception.BadRequestException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.transport.DockerHttpClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.core.Deadline;

/**
 * The container engine behind a Unix socket. Every call has a deadline that really ends it, and
 * what goes wrong comes as an {@link EngineException}. Nothing is kept over a restart of the engine
 * but the version that was settled, and that is asked for again after any trouble. Thread-safe.
 */
public final class Engine implements Closeable {

  /**
   * The library's logger. Below WARN it writes whole requests, with the registry token in them: it
   * is never to be let, whatever level is configured.
   */
  public static final String LIBRARY_LOGGER = "com.github.dockerjava";

  /** The engine's socket, and one client for all plain calls. */
  private record Link(EngineConnection connection, DockerHttpClient http) {}

  /** What was settled with the engine, and a client that speaks it. */
  private record Settled(RemoteApiVersion version, DockerClient client) {}

  private final String address;
  private final EngineErrors errors;
  private final Duration callDeadline;
  private final Map<String, ReentrantLock> pulls = new ConcurrentHashMap<>();
  private volatile @Nullable Link link;
  private volatile @Nullable Settled settled;

  /**
   * @param address such as {@code unix:///var/run/docker.sock}; one of another kind is told by
   *     every call
   */
  public Engine(String address, ContainersConfig config) {
    this.address = address;
    this.errors = new EngineErrors(address);
    this.callDeadline = config.callDeadline();
  }

  /** Where the engine is, for messages. */
  public String address() {
    return address;
  }

  /** Whether somebody takes connections at the socket: costs next to nothing, and proves little. */
  boolean listens() {
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(socketPath()));
    } catch (IOException _) {
      return false;
    }
  }

  /** The containers of one part, and those that could be taken for it. */
  Holdings holdings(String part) throws EngineException, InterruptedException {
    var all =
        call(
            "list the containers",
            callDeadline,
            client -> client.listContainersCmd().withShowAll(true).exec());
    var ours = new ArrayList<Observed>();
    var foreigners = new ArrayList<Holdings.Other>();
    var lookalikes = new ArrayList<Holdings.Other>();
    for (var container : all) {
      boolean labelled = part.equals(partOf(container).orElse(null));
      Optional<String> name = nameOf(container, part);
      if (labelled && name.isPresent()) {
        inspect(container.getId()).ifPresent(ours::add);
      } else if (labelled) {
        lookalikes.add(new Holdings.Other(container.getId(), anyName(container)));
      } else if (name.isPresent()) {
        foreigners.add(new Holdings.Other(container.getId(), name.get()));
      }
    }
    return new Holdings(ours, foreigners, lookalikes);
  }

  private static Optional<String> partOf(Container container) {
    return Optional.ofNullable(container.getLabels())
        .map(labels -> labels.get(ContainerSpec.PART_LABEL));
  }

  /** Which of the two names of a part's container it has. */
  private static Optional<String> nameOf(Container container, String part) {
    return names(container)
        .filter(name ->
            name.equals(ContainerSpec.nameOf(part)) || name.equals(ContainerSpec.nextNameOf(part)))
        .findFirst();
  }

  private static String anyName(Container container) {
    return names(container).findFirst().orElse(container.getId());
  }

  private static Stream<String> names(Container container) {
    String[] names = container.getNames();
    return names == null ? Stream.empty() : Arrays.stream(names).map(Observed::withoutSlash);
  }

  /**
   * A container of ours.
   *
   * @param runs whether the engine's list shows it with a process, which is late by a moment
   */
  record Listed(String id, String part, boolean runs) {}

  /** All containers of ours, whatever their part and their state. */
  List<Listed> listOurs() throws EngineException, InterruptedException {
    var all =
        call(
            "list the containers of tpu-bootd",
            callDeadline,
            client ->
                client
                    .listContainersCmd()
                    .withShowAll(true)
                    .withLabelFilter(List.of(ContainerSpec.PART_LABEL))
                    .exec());
    var ours = new ArrayList<Listed>();
    for (var container : all) {
      String part = partOf(container).orElse("");
      if (nameOf(container, part).isPresent()) {
        boolean runs = List.of("running", "paused", "restarting").contains(container.getState());
        ours.add(new Listed(container.getId(), part, runs));
      }
    }
    return ours;
  }

  /** Empty where there is no such container (any more). */
  Optional<Observed> inspect(String id) throws EngineException, InterruptedException {
    try {
      return Optional.of(
          Observed.of(
              call(
                  "inspect the container " + Observed.shortId(id),
                  callDeadline,
                  client -> client.inspectContainerCmd(id).exec())));
    } catch (EngineException.NotFound _) {
      return Optional.empty();
    }
  }

  /** The id of the image that the name stands for on this host now. */
  Optional<String> imageId(ImageName image) throws EngineException, InterruptedException {
    try {
      return Optional.of(
          call(
              "inspect the image " + image,
              callDeadline,
              client -> client.inspectImageCmd(image.text()).exec().getId()));
    } catch (EngineException.NotFound _) {
      return Optional.empty();
    }
  }

  /**
   * @return the id of the new container
   */
  String create(ContainerSpec spec, String name) throws EngineException, InterruptedException {
    return call(
        "create the container " + name,
        callDeadline,
        client -> CreateCall.of(client, spec, name).exec().getId());
  }

  /** Starts a container; one that runs already is left as it is. */
  void start(String id, String name) throws EngineException, InterruptedException {
    change(
        "start the container " + name, callDeadline, client -> client.startContainerCmd(id).exec());
  }

  /**
   * Asks a container to end, and kills it when its time is over. One that has ended is left as it
   * is.
   *
   * @return whether it ran
   */
  boolean stop(String id, Duration timeout) throws EngineException, InterruptedException {
    int seconds = (int) Math.max(1, timeout.toSeconds());
    return change(
        "stop the container " + Observed.shortId(id),
        callDeadline.plusSeconds(seconds),
        client -> client.stopContainerCmd(id).withTimeout(seconds).exec());
  }

  /** Removes a stopped container; one that is gone already is as good. */
  void remove(Observed container) throws EngineException, InterruptedException {
    try {
      change(
          "remove the container " + container.name(),
          callDeadline,
          client -> client.removeContainerCmd(container.id()).exec());
    } catch (EngineException.NotFound _) {
      return;
    }
  }

  void rename(String id, String name) throws EngineException, InterruptedException {
    change(
        "rename the container " + Observed.shortId(id) + " to " + name,
        callDeadline,
        client -> client.renameContainerCmd(id).withName(name).exec());
  }

  /** The last lines that a container wrote, on both streams. */
  List<String> lastLog(String id, int lines) throws EngineException, InterruptedException {
    String what = "read the log of the container " + Observed.shortId(id);
    var text = new StringBuilder();
    try (EngineStream<Frame> stream =
        open(
            what,
            client ->
                client.logContainerCmd(id).withStdOut(true).withStdErr(true).withTail(lines))) {
      long until = System.nanoTime() + callDeadline.toNanos();
      while (true) {
        switch (stream.next(Duration.ofNanos(until - System.nanoTime()))) {
          case EngineStream.Signal.Started<Frame> _ -> {}
          case EngineStream.Signal.Item<Frame>(Frame frame) ->
              text.append(new String(frame.getPayload(), UTF_8));
          case EngineStream.Signal.Silence<Frame> _ -> throw hung(what, callDeadline);
          case EngineStream.Signal.Ended<Frame>(Throwable cause) -> {
            if (cause != null) {
              throw translated(what, cause);
            }
            return text.toString().lines().toList();
          }
        }
      }
    }
  }

  /** One pull at a time of each image: whoever comes second finds it done. */
  ReentrantLock pullLock(ImageName image) {
    return pulls.computeIfAbsent(image.text(), _ -> new ReentrantLock());
  }

  /**
   * Begins a pull.
   *
   * @param login null for a pull without
   */
  EngineStream<PullResponseItem> pull(ImageName image, RegistryLogin.@Nullable Credentials login)
      throws EngineException, InterruptedException {
    return open(
        "pull " + image,
        client -> {
          var pull = client.pullImageCmd(image.repository()).withTag(image.version());
          if (login != null) {
            pull.withAuthConfig(
                new AuthConfig()
                    .withRegistryAddress(image.registry())
                    .withUsername(login.user())
                    .withPassword(login.password()));
          }
          return pull;
        });
  }

  /** Follows what happens to containers of ours, from a moment on. */
  EngineStream<Event> events(Instant since) throws EngineException, InterruptedException {
    return open(
        "follow the events",
        client ->
            client
                .eventsCmd()
                .withSince(String.valueOf(since.getEpochSecond()))
                .withEventTypeFilter("container")
                .withLabelFilter(ContainerSpec.PART_LABEL)
                // Not all of them: a health check in a container makes events without end.
                .withEventFilter("start", "die", "destroy", "pause", "unpause", "rename"));
  }

  /** Ends what docker-java keeps. The engine can be called again all the same. */
  @Override
  public void close() throws IOException {
    Link open = link;
    link = null;
    settled = null;
    if (open != null) {
      open.http().close();
    }
  }

  /**
   * For calls that change something: "it is so already" is as good as done.
   *
   * @return whether something has changed
   */
  private boolean change(String what, Duration limit, Consumer<DockerClient> work)
      throws EngineException, InterruptedException {
    return call(
        what,
        limit,
        client -> {
          try {
            work.accept(client);
            return true;
          } catch (NotModifiedException _) {
            return false;
          }
        });
  }

  private <T> T call(String what, Duration limit, Function<DockerClient, T> work)
      throws EngineException, InterruptedException {
    return callSettled(what, limit, spoken -> work.apply(spoken.client()));
  }

  private <T> T callSettled(String what, Duration limit, Function<Settled, T> work)
      throws EngineException, InterruptedException {
    Link open = link();
    try {
      return Deadline.call(
          what,
          limit,
          () -> {
            try {
              return work.apply(settle(open));
            } catch (BadRequestException e) {
              if (!String.valueOf(e.getMessage()).contains("client version")) {
                throw e;
              }
              // The engine was exchanged behind our back, and has refused without looking further.
              settled = null;
              return work.apply(settle(open));
            }
          });
    } catch (Deadline.Passed _) {
      throw hung(what, limit);
    } catch (IOException | RuntimeException e) {
      throw translated(what, e);
    }
  }

  private <T> EngineStream<T> open(
      String what, Function<DockerClient, AsyncDockerCmd<?, T>> command)
      throws EngineException, InterruptedException {
    // The version is settled by a plain call, under its deadline.
    RemoteApiVersion version = callSettled(what, callDeadline, Settled::version);
    EngineConnection connection = link().connection();
    DockerHttpClient http = connection.http();
    var stream = new EngineStream<T>(http);
    try {
      command.apply(connection.client(http, version)).exec(stream.callback());
      return stream;
    } catch (RuntimeException e) {
      stream.close();
      throw translated(what, e);
    }
  }

  private Settled settle(Link open) throws IOException {
    Settled known = settled;
    if (known != null) {
      return known;
    }
    RemoteApiVersion version = open.connection().negotiate(open.http());
    var fresh = new Settled(version, open.connection().client(open.http(), version));
    settled = fresh;
    return fresh;
  }

  private synchronized Link link() throws EngineException.Unsupported {
    Link open = link;
    if (open == null) {
      var connection = new EngineConnection(socket());
      open = new Link(connection, connection.http());
      link = open;
    }
    return open;
  }

  private URI socket() throws EngineException.Unsupported {
    String path = socketPath();
    try {
      var socket = new URI("unix://" + path);
      if (path.equals(socket.getPath())) {
        return socket;
      }
    } catch (URISyntaxException _) {
      // Told below.
    }
    throw new EngineException.Unsupported(
        "the engine's address " + address + " has a blank, a %, # or ? or the like in it");
  }

  private String socketPath() throws EngineException.Unsupported {
    if (!address.startsWith("unix:///")) {
      throw new EngineException.Unsupported(
          "the engine's address " + address + " is not of the form unix:///path/to/socket");
    }
    return address.substring("unix://".length());
  }

  /** From now on the version is in doubt: an engine that comes back may be another one. */
  private EngineException doubted(EngineException e) {
    if (e.engineIsAway() || e instanceof EngineException.Refused) {
      settled = null;
    }
    return e;
  }

  private EngineException hung(String what, Duration limit) {
    return doubted(errors.hung(what, limit));
  }

  EngineException translated(String what, Throwable cause) {
    return doubted(errors.of(what, cause));
  }
}
