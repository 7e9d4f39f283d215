package org.tpubootd.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A container of the fake engine: a state and nothing behind it. Guarded by the engine's lock. */
final class FakeEngineContainer {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NEVER = "0001-01-01T00:00:00Z";

  final String id;
  final String imageId;
  final JsonNode config;
  final Map<String, String> labels = new TreeMap<>();
  final List<String> log = new ArrayList<>();
  String name;
  String status = "created";
  String startedAt = NEVER;
  String finishedAt = NEVER;
  String error = "";
  long exitCode;
  boolean oomKilled;

  /** A call to start it was taken and is not done yet. */
  boolean starting;

  /**
   * @param config what the call that created it asked for
   */
  FakeEngineContainer(String id, String name, String imageId, JsonNode config) {
    this.id = id;
    this.name = name;
    this.imageId = imageId;
    this.config = config;
    config
        .path("Labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
  }

  boolean alive() {
    return status.equals("running") || status.equals("paused");
  }

  void start() {
    status = "running";
    startedAt = Instant.now().toString();
    finishedAt = NEVER;
    exitCode = 0;
    oomKilled = false;
    error = "";
  }

  void end(long exitCode, boolean oomKilled) {
    status = "exited";
    finishedAt = Instant.now().toString();
    this.exitCode = exitCode;
    this.oomKilled = oomKilled;
  }

  ObjectNode summary() {
    ObjectNode json = JSON.createObjectNode();
    json.put("Id", id);
    json.putArray("Names").add("/" + name);
    json.put("Image", config.path("Image").asText());
    json.put("ImageID", imageId);
    json.put("State", status);
    json.put("Status", status);
    ObjectNode shown = json.putObject("Labels");
    labels.forEach(shown::put);
    return json;
  }

  ObjectNode inspection() {
    ObjectNode json = JSON.createObjectNode();
    json.put("Id", id);
    json.put("Name", "/" + name);
    json.put("Image", imageId);
    ObjectNode state = json.putObject("State");
    state.put("Status", status);
    state.put("Running", alive());
    state.put("Paused", status.equals("paused"));
    state.put("Restarting", false);
    state.put("OOMKilled", oomKilled);
    state.put("Dead", status.equals("dead"));
    state.put("Pid", alive() ? 4242 : 0);
    state.put("ExitCode", exitCode);
    state.put("Error", error);
    state.put("StartedAt", startedAt);
    state.put("FinishedAt", finishedAt);
    ObjectNode shown = json.putObject("Config");
    shown.put("Image", config.path("Image").asText());
    ObjectNode shownLabels = shown.putObject("Labels");
    labels.forEach(shownLabels::put);
    json.set("HostConfig", config.path("HostConfig").deepCopy());
    return json;
  }
}
