package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Event;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.tpubootd.config.ContainersConfig;

/**
 * The container engine behind a Unix socket: the calls that tpu-bootd makes. Every call has a
 * deadline that really ends it, and what goes wrong comes as an {@link EngineException}. Nothing is
 * kept over a restart of the engine but the version that was settled, and that is asked for again
 * after any trouble. Thread-safe.
 */
public final class Engine implements Closeable {

  /**
   * The library's logger. Below WARN it writes whole requests, with the registry token in them: it
   * is never to be let, whatever level is configured.
   */
  public static final String LIBRARY_LOGGER = "com.github.dockerjava";

  private final EngineClient client;
  private final Duration callDeadline;
  private final EngineImages images;

  /**
   * @param address such as {@code unix:///var/run/docker.sock}; one of another kind is told by
   *     every call
   */
  public Engine(String address, ContainersConfig config) {
    this.client = new EngineClient(address, config.callDeadline());
    this.callDeadline = config.callDeadline();
    this.images = new EngineImages(client);
  }

  /** Its calls for images. */
  EngineImages images() {
    return images;
  }

  /** Where the engine is, for messages. */
  public String address() {
    return client.address();
  }

  /**
   * Looks whether there is an engine at all. While there is none, every call fails at once with the
   * cause that was found here: so whoever has looked once has to go on looking.
   *
   * @return whether that has changed
   */
  boolean look() throws EngineException, InterruptedException {
    return client.presence().look(client.socketPath());
  }

  /** Whether the last look found none. */
  boolean isAway() {
    return client.presence().away().isPresent();
  }

  /** Grows whenever the engine is seen to go, for as long as somebody looks. */
  int losses() {
    return client.presence().losses();
  }

  /** The end of its events, which is most often its own. */
  void fellSilent() {
    client.presence().fellSilent();
  }

  /** Nobody looks any more: from now on each call finds out for itself. */
  void lookedNoMore() {
    client.presence().lookedNoMore();
  }

  /** The containers of one part, and those that could be taken for it. */
  Holdings holdings(String part) throws EngineException, InterruptedException {
    var all =
        client.call(
            "list the containers", docker -> docker.listContainersCmd().withShowAll(true).exec());
    var ours = new ArrayList<Observed>();
    var foreigners = new ArrayList<Holdings.Other>();
    var lookalikes = new ArrayList<Holdings.Other>();
    Holdings.Other rival = null;
    for (var container : all) {
      boolean labelled = part.equals(partOf(container).orElse(null));
      Optional<String> name = nameOf(container, part);
      if (labelled && name.isPresent()) {
        inspect(container.getId()).ifPresent(ours::add);
      } else if (labelled) {
        lookalikes.add(new Holdings.Other(container.getId(), anyName(container)));
      } else if (name.isPresent()) {
        foreigners.add(new Holdings.Other(container.getId(), name.get()));
      } else if (names(container).anyMatch(one -> Holdings.isRival(part, one))
          && isAlive(container)) {
        rival = new Holdings.Other(container.getId(), anyName(container));
      }
    }
    return new Holdings(ours, foreigners, lookalikes, Optional.ofNullable(rival));
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

  private static boolean isAlive(Container container) {
    return List.of("running", "paused", "restarting").contains(container.getState());
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
        client.call(
            "list the containers of tpu-bootd",
            docker ->
                docker
                    .listContainersCmd()
                    .withShowAll(true)
                    .withLabelFilter(List.of(ContainerSpec.PART_LABEL))
                    .exec());
    var ours = new ArrayList<Listed>();
    for (var container : all) {
      String part = partOf(container).orElse("");
      if (nameOf(container, part).isPresent()) {
        ours.add(new Listed(container.getId(), part, isAlive(container)));
      }
    }
    return ours;
  }

  /** The containers of ours that are of none of these parts. */
  List<Observed> ofOtherParts(Set<String> parts) throws EngineException, InterruptedException {
    var others = new ArrayList<Observed>();
    for (Listed one : listOurs()) {
      if (!parts.contains(one.part())) {
        inspect(one.id()).ifPresent(others::add);
      }
    }
    return others;
  }

  /** Empty where there is no such container (any more). */
  Optional<Observed> inspect(String id) throws EngineException, InterruptedException {
    try {
      return Optional.of(
          Observed.of(
              client.call(
                  "inspect the container " + Observed.shortId(id),
                  docker -> docker.inspectContainerCmd(id).exec())));
    } catch (EngineException.NotFound _) {
      return Optional.empty();
    }
  }

  /**
   * @return the id of the new container
   */
  String create(ContainerSpec spec, String name) throws EngineException, InterruptedException {
    return client.call(
        "create the container " + name, docker -> CreateCall.of(docker, spec, name).exec().getId());
  }

  /** Starts a container; one that runs already is left as it is. */
  void start(String id, String name) throws EngineException, InterruptedException {
    client.change(
        "start the container " + name, callDeadline, docker -> docker.startContainerCmd(id).exec());
  }

  /**
   * Asks a container to end, and kills it when its time is over. One that has ended is left as it
   * is.
   *
   * @return whether it ran
   */
  boolean stop(String id, Duration timeout) throws EngineException, InterruptedException {
    int seconds = (int) Math.max(1, timeout.toSeconds());
    return client.change(
        "stop the container " + Observed.shortId(id),
        callDeadline.plusSeconds(seconds),
        docker -> docker.stopContainerCmd(id).withTimeout(seconds).exec());
  }

  /** Removes a stopped container; one that is gone already is as good. */
  void remove(Observed container) throws EngineException, InterruptedException {
    try {
      client.change(
          "remove the container " + container.name(),
          callDeadline,
          docker -> docker.removeContainerCmd(container.id()).exec());
    } catch (EngineException.NotFound _) {
      return;
    }
  }

  void rename(String id, String name) throws EngineException, InterruptedException {
    client.change(
        "rename the container " + Observed.shortId(id) + " to " + name,
        callDeadline,
        docker -> docker.renameContainerCmd(id).withName(name).exec());
  }

  /** The last lines that a container wrote, on both streams. */
  List<String> lastLog(String id, int lines) throws EngineException, InterruptedException {
    String what = "read the log of the container " + Observed.shortId(id);
    var text = new ByteArrayOutputStream();
    try (EngineStream<byte[]> stream =
        client.open(
            what,
            docker -> docker.logContainerCmd(id).withStdOut(true).withStdErr(true).withTail(lines),
            // docker-java gives out one buffer of 1,024 bytes again and again.
            frame -> frame.getPayload().clone())) {
      long until = System.nanoTime() + callDeadline.toNanos();
      while (true) {
        switch (stream.next(Duration.ofNanos(until - System.nanoTime()))) {
          case EngineStream.Signal.Started<byte[]> _ -> {}
          case EngineStream.Signal.Item<byte[]>(byte[] piece) -> text.writeBytes(piece);
          case EngineStream.Signal.Silence<byte[]> _ -> throw client.hung(what, callDeadline);
          case EngineStream.Signal.Ended<byte[]>(Throwable cause) -> {
            if (cause != null) {
              throw client.translated(what, cause);
            }
            return text.toString(UTF_8).lines().toList();
          }
        }
      }
    }
  }

  /** Follows what happens to containers of ours, from a moment on. */
  EngineStream<Event> events(Instant since) throws EngineException, InterruptedException {
    return client.open(
        "follow the events",
        docker ->
            docker
                .eventsCmd()
                .withSince(String.valueOf(since.getEpochSecond()))
                .withEventTypeFilter("container")
                .withLabelFilter(ContainerSpec.PART_LABEL)
                // Not all of them: a health check in a container makes events without end.
                .withEventFilter("start", "die", "destroy", "pause", "unpause", "rename"));
  }

  /** What an error in the middle of a stream means. */
  EngineException translated(String what, Throwable cause) {
    return client.translated(what, cause);
  }

  /** Ends what docker-java keeps. The engine can be called again all the same. */
  @Override
  public void close() throws IOException {
    client.close();
  }
}
