package org.tpubootd.container;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A container as the engine shows it.
 *
 * @param imageId the image it was made from, whatever the image's name stands for by now
 * @param startedAt as the engine wrote it; the year 1 where it never ran
 * @param error why its last start failed; empty where it did not
 */
record Observed(
    String id,
    String name,
    Map<String, String> labels,
    Status status,
    String imageId,
    String startedAt,
    String finishedAt,
    long exitCode,
    boolean oomKilled,
    String error) {

  /** The engine's own words. */
  enum Status {
    CREATED,
    RUNNING,
    PAUSED,
    RESTARTING,
    REMOVING,
    EXITED,
    DEAD,
    UNKNOWN
  }

  static Observed of(InspectContainerResponse answer) {
    var state = answer.getState();
    Map<String, String> labels = answer.getConfig() == null ? null : answer.getConfig().getLabels();
    return new Observed(
        answer.getId(),
        withoutSlash(answer.getName()),
        labels == null ? Map.of() : Map.copyOf(labels),
        status(state.getStatus()),
        text(answer.getImageId()),
        text(state.getStartedAt()),
        text(state.getFinishedAt()),
        state.getExitCodeLong() == null ? 0 : state.getExitCodeLong(),
        Boolean.TRUE.equals(state.getOOMKilled()),
        text(state.getError()));
  }

  static String withoutSlash(String name) {
    return name.startsWith("/") ? name.substring(1) : name;
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }

  private static Status status(@Nullable String word) {
    try {
      return Status.valueOf(text(word).toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException _) {
      return Status.UNKNOWN;
    }
  }

  /** Whether it has a process, or is about to have it again. */
  boolean alive() {
    return status == Status.RUNNING || status == Status.PAUSED || status == Status.RESTARTING;
  }

  /** Whether a start is all that it needs. */
  boolean canBeStarted() {
    return status == Status.CREATED || status == Status.EXITED;
  }

  /** Whether it was ever started with success. */
  boolean hasRun() {
    return !startedAt.isEmpty() && !startedAt.startsWith("0001-");
  }

  boolean hasSpec(String hash) {
    return hash.equals(labels.get(ContainerSpec.SPEC_LABEL));
  }

  /** As people write it. */
  String shortId() {
    return shortId(id);
  }

  static String shortId(String id) {
    return id.length() > 12 ? id.substring(0, 12) : id;
  }

  /** Names one run of it. */
  String run() {
    return id + " " + startedAt;
  }

  /** How long its last run took by the engine's clock, which somebody may have set meanwhile. */
  Duration ran() {
    return instant(startedAt)
        .flatMap(from -> instant(finishedAt).map(to -> Duration.between(from, to)))
        .filter(ran -> !ran.isNegative())
        .orElse(Duration.ZERO);
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeParseException _) {
      return Optional.empty();
    }
  }
}
