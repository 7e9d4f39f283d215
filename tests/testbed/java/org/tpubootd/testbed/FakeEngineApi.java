package org.tpubootd.testbed;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** The calls of the Docker API that the fake engine knows, in the words of Docker 20.10. */
final class FakeEngineApi {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern REPO_TAG = Pattern.compile("\"RepoTags\":\\[\"([^\"]+)\"");

  /** A call that ends in an error. */
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;

    Refusal(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  private final FakeEngine engine;
  private final FakeEngineContainerApi containers;

  FakeEngineApi(FakeEngine engine) {
    this.engine = engine;
    this.containers = new FakeEngineContainerApi(engine);
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
          response.send(200, "application/json", FakeEngine.write(containers.list(request)));
      case "POST /images/load" -> load(request, response);
      case "POST /containers/create" -> containers.create(request, response);
      case "GET /events" -> events(request, response);
      default -> {
        if (path.startsWith("/images/") && path.endsWith("/json")) {
          inspectImage(
              path.substring("/images/".length(), path.length() - "/json".length()), response);
        } else if (path.startsWith("/images/") && path.endsWith("/get")) {
          save(path.substring("/images/".length(), path.length() - "/get".length()), response);
        } else if (path.startsWith("/containers/")) {
          containers.one(request, response);
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
    ArrayNode digests = json.putArray("RepoDigests");
    engine
        .digest(name)
        .ifPresent(digest -> digests.add(name.replaceFirst("[:@][^/]*$", "") + "@" + digest));
    json.put("Size", 123_456_789);
    json.put("Created", "2026-11-01T08:00:00.123456789Z");
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
    if (!engine.faults().pullsAreLost()) {
      engine.addPulled(name);
    }
    line(response, "Status: Downloaded newer image for " + name, "", 0, 0);
  }

  private void save(String name, FakeEngineHttp.Response response) throws IOException, Refusal {
    if (!engine.images().containsKey(name)) {
      throw new Refusal(404, "No such image: " + name);
    }
    byte[] archive = ImageArchive.of(name);
    response.begin("application/x-tar");
    if (engine.faults().savesAreCut()) {
      response.chunk(Arrays.copyOf(archive, archive.length / 2));
      response.chunk("{\"errorDetail\":{\"message\":\"no space left on device\"}}");
    } else {
      response.chunk(archive);
    }
  }

  /** Takes what {@code docker save} wrote, packed or not. */
  private void load(FakeEngineHttp.Request request, FakeEngineHttp.Response response)
      throws IOException {
    byte[] bytes = request.bytes();
    boolean packed = bytes.length > 2 && bytes[0] == 0x1f && (bytes[1] & 0xff) == 0x8b;
    String text =
        packed
            ? new String(
                new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(), ISO_8859_1)
            : new String(bytes, ISO_8859_1);
    response.begin("application/json");
    ObjectNode json = JSON.createObjectNode();
    Matcher tags = REPO_TAG.matcher(text);
    if (tags.find()) {
      engine.addImage(tags.group(1));
      json.put("stream", "Loaded image: " + tags.group(1) + "\n");
    } else {
      json.putObject("errorDetail").put("message", "archive/tar: invalid tar header");
      json.put("error", "archive/tar: invalid tar header");
    }
    response.chunk(FakeEngine.write(json) + "\r\n");
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

  /** Both forms that engines take: a list of values, and a mapping of values to true. */
  static List<String> filter(FakeEngineHttp.Request request, String name) throws IOException {
    JsonNode values = JSON.readTree(request.query().getOrDefault("filters", "{}")).path(name);
    var texts = new ArrayList<String>();
    if (values.isObject()) {
      values.fieldNames().forEachRemaining(texts::add);
    } else {
      values.forEach(value -> texts.add(value.asText()));
    }
    return texts;
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
        if (event.equals(FakeEngine.END_OF_EVENTS)) {
          break;
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
