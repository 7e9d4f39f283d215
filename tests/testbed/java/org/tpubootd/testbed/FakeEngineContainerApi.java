package org.tpubootd.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The calls about containers. */
final class FakeEngineContainerApi {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final FakeEngine engine;

  FakeEngineContainerApi(FakeEngine engine) {
    this.engine = engine;
  }

  ArrayNode list(FakeEngineHttp.Request request) throws IOException {
    boolean all = List.of("1", "true").contains(request.query().getOrDefault("all", "0"));
    List<String> labels = FakeEngineApi.filter(request, "label");
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

  void create(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, FakeEngineApi.Refusal {
    JsonNode config = JSON.readTree(request.body());
    String image = config.path("Image").asText();
    String name = request.query().get("name");
    FakeEngineContainer container;
    synchronized (engine) {
      String imageId = engine.images().get(image);
      if (imageId == null) {
        throw new FakeEngineApi.Refusal(404, "No such image: " + image);
      }
      FakeEngineContainer holder = engine.find(name);
      if (holder != null) {
        throw new FakeEngineApi.Refusal(
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

  /** A call about one container. */
  void one(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException, InterruptedException, FakeEngineApi.Refusal {
    String[] words = request.path().substring("/containers/".length()).split("/");
    FakeEngineContainer container = engine.find(words[0]);
    if (container == null) {
      throw new FakeEngineApi.Refusal(404, "No such container: " + words[0]);
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
      default -> throw new FakeEngineApi.Refusal(404, "page not found");
    }
  }

  private void start(FakeEngineContainer container, FakeEngineHttp.Response response)
      throws IOException, InterruptedException, FakeEngineApi.Refusal {
    synchronized (engine) {
      container.starting = true;
    }
    try {
      engine.faults().passHeldStarts(container.name);
      startNow(container, response);
    } finally {
      synchronized (engine) {
        container.starting = false;
        engine.notifyAll();
      }
    }
  }

  private void startNow(FakeEngineContainer container, FakeEngineHttp.Response response)
      throws IOException, FakeEngineApi.Refusal {
    synchronized (engine) {
      if (container.status.equals("dead")) {
        throw new FakeEngineApi.Refusal(
            409, "container is marked for removal and cannot be started");
      }
      if (container.alive()) {
        response.sendEmpty(304);
        return;
      }
      Optional<FakeEngineFaults.Answer> fault = engine.startFault(container.name);
      if (fault.isPresent()) {
        container.error = fault.get().message();
        container.exitCode = 127;
        throw new FakeEngineApi.Refusal(fault.get().status(), fault.get().message());
      }
      container.start();
      engine.emit("start", container);
    }
    response.sendEmpty(204);
  }

  private void end(FakeEngineContainer container, long exitCode, FakeEngineHttp.Response response)
      throws IOException, InterruptedException {
    synchronized (engine) {
      while (container.starting) {
        engine.wait();
      }
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
      throws IOException, FakeEngineApi.Refusal {
    synchronized (engine) {
      String name = request.query().get("name");
      if (engine.find(name) != null) {
        throw new FakeEngineApi.Refusal(
            409, "Conflict. The container name \"/" + name + "\" is already in use");
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
      throws IOException, FakeEngineApi.Refusal {
    synchronized (engine) {
      boolean force = List.of("1", "true").contains(request.query().getOrDefault("force", "0"));
      if (container.alive() && !force) {
        throw new FakeEngineApi.Refusal(
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
}
