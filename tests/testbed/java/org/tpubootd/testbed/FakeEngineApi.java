package org.tpubootd.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The calls of the Docker API that the fake engine knows, in the words of Docker 20.10. */
final class FakeEngineApi {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A call that ends in an error. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;

    Refusal(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  private final FakeEngine engine;

  FakeEngineApi(FakeEngine engine) {
    this.engine = engine;
  }

  void handle(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, InterruptedException {
    engine.record(request);
    FakeEngineFaults faults = engine.faults();
    faults.passHangs(request.path());
    if (faults.drops(request.path())) {
      throw new EOFException("dropped, as the test wants it");
    }
    try {
      Optional<FakeEngineFaults.Answer> fault = faults.answerTo(request.path());
      if (fault.isPresent()) {
        throw new Refusal(fault.get().status(), fault.get().message());
      }
      checkVersion(request.version());
      answer(request, response);
    } catch (Refusal e) {
      response.send(
          e.status,
          "application/json",
          FakeEngine.write(JSON.createObjectNode().put("message", e.getMessage())));
    }
  }

  private void checkVersion(String version) throws Refusal {
    if (version.isEmpty()) {
      return;
    }
    String oldest = engine.faults().oldestApi();
    String newest = engine.faults().newestApi();
    if (minor(version) < minor(oldest)) {
      throw new Refusal(
          400,
          "client version %s is too old. Minimum supported API version is %s, please upgrade your client to a newer version"
              .formatted(version, oldest));
    }
    if (minor(version) > minor(newest)) {
      throw new Refusal(
          400,
          "client version %s is too new. Maximum supported API version is %s"
              .formatted(version, newest));
    }
  }

  private static int minor(String version) {
    return Integer.parseInt(version.substring(version.indexOf('.') + 1));
  }

  private void answer(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, InterruptedException, Refusal {
    String path = request.path();
    switch (request.method() + " " + path) {
      case "GET /_ping", "HEAD /_ping" ->
          response.send(200, "text/plain", "OK", "Api-Version: " + engine.faults().newestApi());
      case "GET /version" -> response.send(200, "application/json", FakeEngine.write(version()));
      case "GET /images/json" -> response.send(200, "application/json", FakeEngine.write(images()));
      case "POST /images/create" -> pull(request, response);
      case "GET /containers/json" ->
          response.send(200, "application/json", FakeEngine.write(list(request)));
      case "POST /containers/create" -> create(request, response);
      case "GET /events" -> events(request, response);
      default -> {
        if (path.startsWith("/images/") && path.endsWith("/json")) {
          inspectImage(
              path.substring("/images/".length(), path.length() - "/json".length()), response);
        } else if (path.startsWith("/containers/")) {
          container(request, response);
        } else {
          throw new Refusal(404, "page not found");
        }
      }
    }
  }

  private ObjectNode version() {
    ObjectNode json = JSON.createObjectNode();
    json.put("Version", "20.10.0-fake");
    json.put("ApiVersion", engine.faults().newestApi());
    json.put("MinAPIVersion", engine.faults().oldestApi());
    json.put("Os", "linux");
    json.put("Arch", "amd64");
    return json;
  }

  private ArrayNode images() {
    ArrayNode json = JSON.createArrayNode();
    engine
        .images()
        .forEach((name, id) -> {
          ObjectNode image = json.addObject();
          image.put("Id", id);
          image.putArray("RepoTags").add(name);
        });
    return json;
  }

  private void inspectImage(String name, FakeEngineHttp.Response response)
      throws IOException, Refusal {
    String id = engine.images().get(name);
    if (id == null) {
      throw new Refusal(404, "No such image: " + name);
    }
    ObjectNode json = JSON.createObjectNode();
    json.put("Id", id);
    json.putArray("RepoTags").add(name);
    json.putArray("RepoDigests");
    response.send(200, "application/json", FakeEngine.write(json));
  }

  private void pull(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, InterruptedException {
    String version = request.query().getOrDefault("tag", "latest");
    String name =
        request.query().get("fromImage") + (version.startsWith("sha256:") ? "@" : ":") + version;
    response.begin("application/json");
    line(response, "Pulling from " + request.query().get("fromImage"), version, 0, 0);
    long size = 40_000_000;
    List<String> layers = List.of("1a2b3c4d5e6f", "2b3c4d5e6f70", "3c4d5e6f7081");
    for (String layer : layers) {
      line(response, "Pulling fs layer", layer, 0, 0);
    }
    for (String layer : layers) {
      line(response, "Downloading", layer, size / 2, size);
      engine.faults().passStall();
      Optional<String> error = engine.faults().pullError();
      if (error.isPresent()) {
        ObjectNode json = JSON.createObjectNode();
        json.putObject("errorDetail").put("message", error.get());
        json.put("error", error.get());
        response.chunk(FakeEngine.write(json) + "\r\n");
        return;
      }
      line(response, "Download complete", layer, 0, 0);
      line(response, "Extracting", layer, size, size);
      line(response, "Pull complete", layer, 0, 0);
    }
    engine.addImage(name);
    line(response, "Status: Downloaded newer image for " + name, "", 0, 0);
  }

  private static void line(
      FakeEngineHttp.Response response, String status, String id, long current, long total)
      throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.put("status", status);
    if (!id.isEmpty()) {
      json.put("id", id);
    }
    if (total > 0) {
      json.putObject("progressDetail").put("current", current).put("total", total);
    }
    response.chunk(FakeEngine.write(json) + "\r\n");
  }

  private ArrayNode list(FakeEngineHttp.Request request) throws IOException {
    boolean all = List.of("1", "true").contains(request.query().getOrDefault("all", "0"));
    List<String> labels = filter(request, "label");
    ArrayNode json = JSON.createArrayNode();
    for (FakeEngineContainer container : engine.containers()) {
      if ((all || container.alive()) && hasAll(container, labels)) {
        json.add(container.summary());
      }
    }
    return json;
  }

  private static boolean hasAll(FakeEngineContainer container, List<String> labels) {
    return labels.stream()
        .allMatch(label -> {
          int equals = label.indexOf('=');
          return equals < 0
              ? container.labels.containsKey(label)
              : label
                  .substring(equals + 1)
                  .equals(container.labels.get(label.substring(0, equals)));
        });
  }

  /** Both forms that engines take: a list of values, and a mapping of values to true. */
  private static List<String> filter(FakeEngineHttp.Request request, String name)
      throws IOException {
    JsonNode values = JSON.readTree(request.query().getOrDefault("filters", "{}")).path(name);
    var texts = new ArrayList<String>();
    if (values.isObject()) {
      values.fieldNames().forEachRemaining(texts::add);
    } else {
      values.forEach(value -> texts.add(value.asText()));
    }
    return texts;
  }

  private void create(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, Refusal {
    JsonNode config = JSON.readTree(request.body());
    String image = config.path("Image").asText();
    String name = request.query().get("name");
    FakeEngineContainer container;
    synchronized (engine) {
      String imageId = engine.images().get(image);
      if (imageId == null) {
        throw new Refusal(404, "No such image: " + image);
      }
      FakeEngineContainer holder = engine.find(name);
      if (holder != null) {
        throw new Refusal(
            409,
            "Conflict. The container name \"/%s\" is already in use by container \"%s\"."
                .formatted(name, holder.id));
      }
      container = engine.add(name, imageId, config);
    }
    ObjectNode json = JSON.createObjectNode();
    json.put("Id", container.id);
    json.putArray("Warnings");
    response.send(201, "application/json", FakeEngine.write(json));
  }

  private void container(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, InterruptedException, Refusal {
    String[] words = request.path().substring("/containers/".length()).split("/");
    FakeEngineContainer container = engine.find(words[0]);
    if (container == null) {
      throw new Refusal(404, "No such container: " + words[0]);
    }
    String call = request.method() + " " + (words.length > 1 ? words[1] : "");
    switch (call) {
      case "GET json" -> {
        String json;
        synchronized (engine) {
          json = FakeEngine.write(container.inspection());
        }
        response.send(200, "application/json", json);
      }
      case "GET logs" -> logs(request, container, response);
      case "POST start" -> start(container, response);
      case "POST stop" -> end(container, 0, response);
      case "POST kill" -> end(container, 137, response);
      case "POST wait" -> await(container, response);
      case "POST rename" -> rename(request, container, response);
      case "POST pause" -> pause(container, "paused", "pause", response);
      case "POST unpause" -> pause(container, "running", "unpause", response);
      case "DELETE " -> remove(request, container, response);
      default -> throw new Refusal(404, "page not found");
    }
  }

  private void start(FakeEngineContainer container, FakeEngineHttp.Response response)
      throws IOException, Refusal {
    synchronized (engine) {
      if (container.status.equals("dead")) {
        throw new Refusal(409, "container is marked for removal and cannot be started");
      }
      if (container.alive()) {
        response.sendEmpty(304);
        return;
      }
      Optional<String> fault = engine.startFault(container.name);
      if (fault.isPresent()) {
        container.error = fault.get();
        container.exitCode = 127;
        throw new Refusal(400, fault.get());
      }
      container.start();
      engine.emit("start", container);
    }
    response.sendEmpty(204);
  }

  private void end(FakeEngineContainer container, long exitCode, FakeEngineHttp.Response response)
      throws IOException {
    synchronized (engine) {
      if (!container.alive()) {
        response.sendEmpty(304);
        return;
      }
      container.end(exitCode, false);
      engine.emit("die", container);
      engine.notifyAll();
    }
    response.sendEmpty(204);
  }

  private void await(FakeEngineContainer container, FakeEngineHttp.Response response)
      throws IOException, InterruptedException {
    long exitCode;
    synchronized (engine) {
      while (container.alive()) {
        engine.wait();
      }
      exitCode = container.exitCode;
    }
    response.send(
        200,
        "application/json",
        FakeEngine.write(JSON.createObjectNode().put("StatusCode", exitCode)));
  }

  private void rename(
      FakeEngineHttp.Request request,
      FakeEngineContainer container,
      FakeEngineHttp.Response response)
      throws IOException, Refusal {
    synchronized (engine) {
      String name = request.query().get("name");
      if (engine.find(name) != null) {
        throw new Refusal(409, "Conflict. The container name \"/" + name + "\" is already in use");
      }
      container.name = name;
      engine.emit("rename", container);
    }
    response.sendEmpty(204);
  }

  private void pause(
      FakeEngineContainer container, String status, String event, FakeEngineHttp.Response response)
      throws IOException {
    synchronized (engine) {
      container.status = status;
      engine.emit(event, container);
    }
    response.sendEmpty(204);
  }

  private void remove(
      FakeEngineHttp.Request request,
      FakeEngineContainer container,
      FakeEngineHttp.Response response)
      throws IOException, Refusal {
    synchronized (engine) {
      boolean force = List.of("1", "true").contains(request.query().getOrDefault("force", "0"));
      if (container.alive() && !force) {
        throw new Refusal(
            409, "You cannot remove a running container " + container.id + ". Stop it first");
      }
      engine.remove(container);
    }
    response.sendEmpty(204);
  }

  private void logs(
      FakeEngineHttp.Request request,
      FakeEngineContainer container,
      FakeEngineHttp.Response response)
      throws IOException {
    List<String> lines;
    synchronized (engine) {
      lines = List.copyOf(container.log);
    }
    String tail = request.query().getOrDefault("tail", "all");
    int from = tail.equals("all") ? 0 : Math.max(0, lines.size() - Integer.parseInt(tail));
    response.begin("application/vnd.docker.raw-stream");
    for (String line : lines.subList(from, lines.size())) {
      response.chunk(frame(line + "\n"));
    }
  }

  /** One piece of standard error, behind its head of eight bytes. */
  private static byte[] frame(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    var frame = new ByteArrayOutputStream();
    frame.writeBytes(new byte[] {2, 0, 0, 0});
    frame.writeBytes(ByteBuffer.allocate(4).putInt(bytes.length).array());
    frame.writeBytes(bytes);
    return frame.toByteArray();
  }

  private void events(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, InterruptedException {
    List<String> labels = filter(request, "label");
    List<String> actions = filter(request, "event");
    long since =
        Long.parseLong(request.query().getOrDefault("since", String.valueOf(Long.MAX_VALUE)));
    response.begin("application/json");
    var queue = engine.listen(since);
    try {
      while (engine.isUp()) {
        ObjectNode event = queue.poll(1, TimeUnit.SECONDS);
        if (event == null) {
          continue;
        }
        JsonNode attributes = event.path("Actor").path("Attributes");
        if ((actions.isEmpty() || actions.contains(event.path("Action").asText()))
            && labels.stream().allMatch(attributes::has)) {
          response.chunk(FakeEngine.write(event) + "\n");
        }
      }
    } finally {
      engine.stopListening(queue);
    }
  }
}
