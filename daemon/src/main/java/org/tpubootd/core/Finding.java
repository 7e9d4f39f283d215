package org.tpubootd.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one pass found of one part of the host.
 *
 * @param summary one line, no full stop: what is so
 * @param cause what it comes from, a sentence from outside in; null where the state is ok
 * @param action what a person can do; null where nothing is to be done
 * @param notes what a person should know although it does not change the state, a line each
 * @param facts for machines: plain values, lists and maps, shown in /status as they are
 */
public record Finding(
    State state,
    String summary,
    @Nullable String cause,
    @Nullable String action,
    List<String> notes,
    Map<String, Object> facts) {

  public Finding {
    notes = List.copyOf(notes);
    facts = Map.copyOf(facts);
  }

  private Finding(State state, String summary, @Nullable String cause, @Nullable String action) {
    this(state, summary, cause, action, List.of(), Map.of());
  }

  public static Finding ok(String summary) {
    return new Finding(State.OK, summary, null, null);
  }

  public static Finding waiting(String summary, String cause, @Nullable String action) {
    return new Finding(State.WAITING, summary, cause, action);
  }

  public static Finding degraded(String summary, String cause, String action) {
    return new Finding(State.DEGRADED, summary, cause, action);
  }

  public static Finding failed(String summary, String cause, String action) {
    return new Finding(State.FAILED, summary, cause, action);
  }

  public static Finding inert(String summary, String cause) {
    return new Finding(State.INERT, summary, cause, null);
  }

  public Finding withNotes(List<String> notes) {
    return new Finding(state, summary, cause, action, notes, facts);
  }

  public Finding withFacts(Map<String, Object> facts) {
    return new Finding(state, summary, cause, action, notes, facts);
  }

  /** The cause, where there is one to tell. */
  public Optional<String> causeIfAny() {
    return Optional.ofNullable(cause);
  }

  /** The advice, where there is any to give. */
  public Optional<String> actionIfAny() {
    return Optional.ofNullable(action);
  }
}
