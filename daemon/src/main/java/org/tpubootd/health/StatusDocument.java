package org.tpubootd.health;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.tpubootd.core.Condition;
import org.tpubootd.core.Part;
import org.tpubootd.core.State;

/**
 * What {@code /status} tells. Times are ISO-8601 texts in UTC. Daemons of other versions read it
 * too: fields are added, never renamed.
 *
 * @param ready whether every required part is as it should be
 * @param hostReady the same for files and devices only, which systemd's READY=1 waits for
 * @param started when the daemon's process began
 * @param stuck names of the parts whose loops make no progress
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record StatusDocument(
    boolean ready,
    boolean hostReady,
    String version,
    String started,
    List<String> stuck,
    List<PartStatus> parts) {

  // Another version may leave out a list that it has nothing for.
  public StatusDocument {
    stuck = List.copyOf(Objects.requireNonNullElse(stuck, List.of()));
    parts = List.copyOf(Objects.requireNonNullElse(parts, List.of()));
  }

  /**
   * One part.
   *
   * @param group host, container or self
   * @param state waiting, ok, degraded, failed or inert
   * @param since when it came into this state
   * @param cause null where there is none to tell
   * @param action what a person can do; null where nothing is to be done
   * @param attempts passes made since it was last ok or inert
   * @param facts plain values, lists and maps; what is in there depends on the part
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record PartStatus(
      String name,
      String group,
      boolean required,
      String state,
      String since,
      String summary,
      @Nullable String cause,
      @Nullable String action,
      List<String> notes,
      int attempts,
      Map<String, @Nullable Object> facts) {

    public PartStatus {
      notes = List.copyOf(Objects.requireNonNullElse(notes, List.of()));
      facts =
          Collections.unmodifiableMap(new TreeMap<>(Objects.requireNonNullElse(facts, Map.of())));
    }

    /** Whether this part keeps the host from being ready. */
    public boolean holdsUpReady() {
      return required && !state.equals(State.OK.word()) && !state.equals(State.INERT.word());
    }

    static PartStatus of(Condition condition) {
      var finding = condition.finding();
      return new PartStatus(
          condition.part().name(),
          condition.part().group().name().toLowerCase(Locale.ROOT),
          condition.part().required(),
          condition.state().word(),
          text(condition.since()),
          finding.summary(),
          finding.cause(),
          finding.action(),
          finding.notes(),
          condition.attempts(),
          plain(finding.facts()));
    }
  }

  /**
   * The document for what a board shows.
   *
   * @param stuck names of the parts whose loops make no progress
   */
  public static StatusDocument of(
      List<Condition> conditions, List<String> stuck, String version, Instant started) {
    return new StatusDocument(
        conditions.stream().noneMatch(Condition::holdsUpReady),
        conditions.stream()
            .filter(condition -> condition.part().group() == Part.Group.HOST)
            .noneMatch(Condition::holdsUpReady),
        version,
        text(started),
        stuck,
        conditions.stream().map(PartStatus::of).toList());
  }

  private static String text(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private static Map<String, @Nullable Object> plain(Map<?, ?> facts) {
    var plain = new TreeMap<String, @Nullable Object>();
    facts.forEach((name, value) -> plain.put(String.valueOf(name), plainValue(value)));
    return plain;
  }

  /** Whatever a component puts into its facts, the page is not to break on it. */
  private static @Nullable Object plainValue(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case String text -> text;
      case Boolean flag -> flag;
      case Number number -> number;
      case Map<?, ?> map -> plain(map);
      case Path path -> path.toString();
      case Iterable<?> values ->
          StreamSupport.stream(values.spliterator(), false)
              .map(StatusDocument::plainValue)
              .collect(Collectors.toList());
      default -> value.toString();
    };
  }
}
