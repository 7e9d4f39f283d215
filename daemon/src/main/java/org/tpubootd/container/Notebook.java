package org.tpubootd.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.HostRoot;

/**
 * What is remembered of one container over a restart of tpu-bootd: how it ended, how long it has to
 * wait, and which specification did not stand its trial. Without it, or with a broken one, the
 * memory begins anew: that is told and is no failure. Not thread-safe.
 */
final class Notebook {

  private static final Logger log = LoggerFactory.getLogger(Notebook.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";

  private final StateStore store;
  private final String part;
  private final HostRoot root;
  private boolean loaded;
  private @Nullable String kept;
  private @Nullable String trouble;

  Notebook(StateStore store, String part, HostRoot root) {
    this.store = store;
    this.part = part;
    this.root = root;
  }

  /** Reads it into the two memories, the first time only. */
  void load(Restarts restarts, Trial trial) throws InterruptedException {
    if (loaded) {
      return;
    }
    loaded = true;
    try {
      Optional<String> text = store.read(part);
      if (text.isPresent()) {
        kept = text.get();
        JsonNode json = JSON.readTree(text.get());
        boolean sameBoot = json.path("boot").asText().equals(boot());
        restarts.resume(snapshot(json, sameBoot));
        trial.resume(failed(json.path("failedSpec")));
      }
    } catch (IOException | DateTimeParseException | IllegalArgumentException e) {
      log.warn(
          "container/{}: what was remembered of it cannot be read, and begins anew: {}",
          part,
          e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage());
    }
  }

  /** Writes it where something has changed. */
  void save(Restarts restarts, Trial trial) throws InterruptedException {
    String text = text(restarts.snapshot(), trial.failed());
    if (text.equals(kept)) {
      return;
    }
    try {
      store.write(part, text);
      kept = text;
      trouble = null;
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      if (!message.equals(trouble)) {
        log.warn(
            "container/{}: a restart of tpu-bootd would forget its last ends: {}", part, message);
      }
      trouble = message;
    }
  }

  private String text(Restarts.Snapshot snapshot, Optional<Trial.Failed> failed) {
    ObjectNode json = JSON.createObjectNode();
    json.put("boot", boot());
    json.put("endsInARow", snapshot.inARow());
    json.put("lastEnded", snapshot.lastEnded());
    json.put("waitMillis", snapshot.waits().toMillis());
    json.put("waitsSince", snapshot.since().toString());
    var ends = json.putArray("lastEnds");
    for (Restarts.End end : snapshot.ends()) {
      ends.addObject()
          .put("exitCode", end.exitCode())
          .put("oomKilled", end.oomKilled())
          .put("finishedAt", end.finishedAt())
          .put("ranMillis", end.ran().toMillis())
          .put("engineWent", end.engineWent())
          .put("error", end.error());
    }
    failed.ifPresent(one ->
        json.putObject("failedSpec")
            .put("spec", one.hash())
            .put("fallback", one.fallback())
            .put("why", one.why()));
    return json.toPrettyString() + "\n";
  }

  /**
   * After a boot the old ends are history: what made the container fail may be gone with the old
   * boot, so that they neither count nor make it wait.
   */
  private static Restarts.Snapshot snapshot(JsonNode json, boolean sameBoot) {
    List<Restarts.End> ends = new ArrayList<>();
    for (JsonNode end : json.path("lastEnds")) {
      ends.add(
          new Restarts.End(
              end.path("exitCode").asLong(),
              end.path("oomKilled").asBoolean(),
              end.path("finishedAt").asText(),
              Duration.ofMillis(end.path("ranMillis").asLong()),
              end.path("engineWent").asBoolean(),
              end.path("error").asText()));
    }
    return new Restarts.Snapshot(
        sameBoot ? Math.max(0, json.path("endsInARow").asInt()) : 0,
        sameBoot ? json.path("lastEnded").textValue() : null,
        Duration.ofMillis(sameBoot ? json.path("waitMillis").asLong() : 0),
        Instant.parse(json.path("waitsSince").asText()),
        ends);
  }

  private static Optional<Trial.Failed> failed(JsonNode json) {
    return json.isObject()
        ? Optional.of(
            new Trial.Failed(
                json.path("spec").asText(),
                json.path("fallback").asText(),
                json.path("why").asText()))
        : Optional.empty();
  }

  /** Names the present boot; nothing where the kernel does not tell. */
  private String boot() {
    try {
      return Files.readString(root.resolve(BOOT_ID)).strip();
    } catch (IOException e) {
      log.debug("the boot's id cannot be read", e);
      return "";
    }
  }
}
