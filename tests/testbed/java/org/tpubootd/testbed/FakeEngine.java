package org.tpubootd.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A container engine over a Unix socket that speaks as much of the Docker API as tpu-bootd uses.
 * Its containers are states only; tests make them end. Faults are switched on at {@link #faults}.
 * Every image can be pulled, unless a fault says otherwise. Thread-safe.
 */
public final class FakeEngine implements Closeable {

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A request that came in.
   *
   * @param at when its head and body had been read
   * @param version of the API, as in the path; empty where there was none
   * @param path without the version and the query
   * @param headers by their names in lower case
   */
  public record Received(
      Instant at,
      String method,
      String version,
      String path,
      Map<String, String> query,
      Map<String, String> headers,
      String body) {}

  /** In place of an event: this stream of them ends. */
  static final ObjectNode END_OF_EVENTS = JSON.createObjectNode();

  private final Path socket;
  private final FakeEngineFaults faults = new FakeEngineFaults();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final Map<String, String> images = new LinkedHashMap<>();
  private final Map<String, String> digests = new LinkedHashMap<>();
  private final Map<String, FakeEngineContainer> containers = new LinkedHashMap<>();
  private final Map<String, FakeEngineFaults.Answer> failingStarts = new LinkedHashMap<>();
  private final List<ObjectNode> pastEvents = new ArrayList<>();
  private final List<BlockingQueue<ObjectNode>> listeners = new CopyOnWriteArrayList<>();
  private int ids;
  private @Nullable FakeEngineHttp http;

  private FakeEngine(Path socket) {
    this.socket = socket;
  }

  /** Starts an engine without images and containers. */
  public static FakeEngine start(Path socket) throws IOException {
    var engine = new FakeEngine(socket);
    engine.comeBack();
    return engine;
  }

  /** An engine that is not started yet: {@link #comeBack} does it. */
  public static FakeEngine absent(Path socket) {
    return new FakeEngine(socket);
  }

  public String address() {
    return "unix://" + socket;
  }

  public FakeEngineFaults faults() {
    return faults;
  }

  /** The engine's process ends: no socket, every connection cut. Containers stay as they are. */
  public synchronized void goAway() throws IOException {
    if (http != null) {
      http.close();
      http = null;
    }
  }

  /** The engine's process starts, with what it had before. */
  public synchronized void comeBack() throws IOException {
    if (http == null) {
      var api = new FakeEngineApi(this);
      http = new FakeEngineHttp(socket, api::handle);
    }
  }

  /** Restarts without live-restore: every running container ends. */
  public synchronized void restart() throws IOException {
    goAway();
    containers.values().stream()
        .filter(FakeEngineContainer::alive)
        .forEach(container -> container.end(137, false));
    comeBack();
  }

  @Override
  public void close() throws IOException {
    faults.close();
    goAway();
  }

  /** Every request so far, in the order of arrival. */
  public List<Received> received() {
    return List.copyOf(received);
  }

  /** The requests of one method whose path holds a text. */
  public List<Received> received(String method, String pathPart) {
    return received.stream()
        .filter(one -> one.method().equals(method) && one.path().contains(pathPart))
        .toList();
  }

  public void forgetReceived() {
    received.clear();
  }

  /** Puts an image on the host, or lets its name stand for another one. */
  public synchronized void addImage(String name) {
    images.put(name, "sha256:" + newId());
  }

  /** Puts an image there as a pull does: it has a digest then. */
  synchronized void addPulled(String name) {
    addImage(name);
    digests.put(name, "sha256:" + newId());
  }

  synchronized Optional<String> digest(String name) {
    return Optional.ofNullable(digests.get(name));
  }

  public synchronized boolean hasImage(String name) {
    return images.containsKey(name);
  }

  /** Puts somebody else's container there. */
  public synchronized String addForeign(String name, boolean running) {
    ObjectNode config = JSON.createObjectNode().put("Image", "foreign:1");
    var container = new FakeEngineContainer(newId(), name, "sha256:" + newId(), config);
    containers.put(container.id, container);
    if (running) {
      container.start();
    }
    return container.id;
  }

  /** Puts a second container there, as running as the first, made by the same call. */
  public synchronized String addCopy(String nameOrId, String newName) {
    FakeEngineContainer original = known(nameOrId);
    var copy = new FakeEngineContainer(newId(), newName, original.imageId, original.config);
    containers.put(copy.id, copy);
    if (original.alive()) {
      copy.start();
    }
    return copy.id;
  }

  /** The names of all containers. */
  public synchronized List<String> names() {
    return containers.values().stream().map(container -> container.name).toList();
  }

  /** How the engine would inspect it. */
  public synchronized Optional<JsonNode> inspect(String nameOrId) {
    return Optional.ofNullable(find(nameOrId)).map(FakeEngineContainer::inspection);
  }

  /** What the call that created it asked for. */
  public synchronized JsonNode askedFor(String nameOrId) {
    return known(nameOrId).config;
  }

  public synchronized boolean runs(String nameOrId) {
    FakeEngineContainer container = find(nameOrId);
    return container != null && container.status.equals("running");
  }

  /** Ends a running container. */
  public synchronized void exit(String nameOrId, long exitCode, boolean oomKilled) {
    FakeEngineContainer container = known(nameOrId);
    container.end(exitCode, oomKilled);
    emit("die", container);
    notifyAll();
  }

  /** Puts a container into a state such as {@code paused} or {@code dead}. */
  public synchronized void setStatus(String nameOrId, String status) {
    known(nameOrId).status = status;
  }

  /** Starts of containers of this name are refused, in the way of a runtime that cannot. */
  public synchronized void failStartsOf(String name, String message) {
    failStartsOf(name, 400, message);
  }

  /** The same in another way: a network that is missing is a 404. */
  public synchronized void failStartsOf(String name, int status, String message) {
    failingStarts.put(name, new FakeEngineFaults.Answer(status, message));
  }

  /** Starts of containers of this name are made again. */
  public synchronized void letStart(String name) {
    failingStarts.remove(name);
  }

  synchronized Optional<FakeEngineFaults.Answer> startFault(String name) {
    return Optional.ofNullable(failingStarts.get(name));
  }

  /** What the container has written. */
  public synchronized void writeLog(String nameOrId, String line) {
    known(nameOrId).log.add(line);
  }

  /** As {@code docker rm -f} does. */
  public synchronized void removeByForce(String nameOrId) {
    FakeEngineContainer container = known(nameOrId);
    if (container.alive()) {
      container.end(137, false);
      emit("die", container);
    }
    containers.remove(container.id);
    emit("destroy", container);
  }

  // What the API works on, all under the lock of this object.

  void record(FakeEngineHttp.Request request) {
    received.add(
        new Received(
            request.at(),
            request.method(),
            request.version(),
            request.path(),
            Map.copyOf(request.query()),
            Map.copyOf(request.headers()),
            request.body()));
  }

  synchronized Map<String, String> images() {
    return new LinkedHashMap<>(images);
  }

  synchronized List<FakeEngineContainer> containers() {
    return List.copyOf(containers.values());
  }

  synchronized @Nullable FakeEngineContainer find(String nameOrId) {
    return containers.values().stream()
        .filter(container ->
            container.name.equals(nameOrId)
                || container.id.equals(nameOrId)
                || (nameOrId.length() >= 12 && container.id.startsWith(nameOrId)))
        .findFirst()
        .orElse(null);
  }

  private FakeEngineContainer known(String nameOrId) {
    FakeEngineContainer container = find(nameOrId);
    if (container == null) {
      throw new IllegalArgumentException("the fake engine has no container " + nameOrId);
    }
    return container;
  }

  synchronized FakeEngineContainer add(String name, String imageId, JsonNode config) {
    var container = new FakeEngineContainer(newId(), name, imageId, config);
    containers.put(container.id, container);
    emit("create", container);
    return container;
  }

  synchronized void remove(FakeEngineContainer container) {
    containers.remove(container.id);
    emit("destroy", container);
  }

  synchronized void emit(String action, FakeEngineContainer container) {
    Instant now = Instant.now();
    ObjectNode event = JSON.createObjectNode();
    event.put("status", action);
    event.put("id", container.id);
    event.put("Type", "container");
    event.put("Action", action);
    ObjectNode actor = event.putObject("Actor");
    actor.put("ID", container.id);
    ObjectNode attributes = actor.putObject("Attributes");
    container.labels.forEach(attributes::put);
    attributes.put("name", container.name);
    event.put("time", now.getEpochSecond());
    event.put("timeNano", now.getEpochSecond() * 1_000_000_000 + now.getNano());
    pastEvents.add(event);
    listeners.forEach(listener -> listener.add(event));
  }

  synchronized boolean isUp() {
    return http != null;
  }

  /** A queue of the events to come, with those since a moment (seconds) in front. */
  synchronized BlockingQueue<ObjectNode> listen(long since) {
    var queue = new LinkedBlockingQueue<ObjectNode>();
    pastEvents.stream().filter(event -> event.path("time").asLong() >= since).forEach(queue::add);
    listeners.add(queue);
    return queue;
  }

  /** The streams of events end, and the engine goes on. */
  public synchronized void cutEvents() {
    listeners.forEach(listener -> listener.add(END_OF_EVENTS));
  }

  void stopListening(BlockingQueue<ObjectNode> queue) {
    listeners.remove(queue);
  }

  private String newId() {
    return "%08x".formatted(++ids).repeat(8);
  }

  static String write(JsonNode json) {
    try {
      return JSON.writeValueAsString(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
