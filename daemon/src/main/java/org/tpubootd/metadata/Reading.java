package org.tpubootd.metadata;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one attribute.
 *
 * @param text the last text received, exactly; kept while the server is away, refuses or says that
 *     the attribute is gone; null where none was ever received
 * @param cause why the status is not PRESENT, as a sentence from outside in; else null
 * @param action what a person can do; null where there is nothing but to wait
 */
public record Reading(
    Status status, @Nullable String text, @Nullable String cause, @Nullable String action) {

  /** Where a reading stands. */
  public enum Status {
    /** The server has not answered yet. */
    PENDING,
    /** The server gave the text. */
    PRESENT,
    /** The server says that there is no such attribute (404). It is asked again. */
    ABSENT,
    /** The server answered, but refused or with something that is not metadata (400, 403, ...). */
    REFUSED,
    /** The server does not answer, or asks to be asked later (timeouts, resets, DNS, 429, 5xx). */
    UNREACHABLE
  }

  /** Before the first answer. */
  static final Reading NONE_YET =
      new Reading(Status.PENDING, null, "the metadata server has not been asked yet", null);

  private static final String IF_IT_LASTS =
      "none is needed if it passes; if it lasts, see that no firewall, route or resolver keeps this"
          + " VM from the metadata server";

  /**
   * @param known the last text received
   */
  static Reading of(Answer answer, @Nullable String known) {
    return switch (answer) {
      case Answer.Value value -> new Reading(Status.PRESENT, value.text(), null, null);
      case Answer.Absent absent -> new Reading(Status.ABSENT, known, absent.cause(), null);
      case Answer.Refused refused ->
          new Reading(Status.REFUSED, known, refused.cause(), refused.action());
      case Answer.TryLater later ->
          new Reading(Status.UNREACHABLE, known, later.cause(), IF_IT_LASTS);
    };
  }

  public Optional<String> textIfAny() {
    return Optional.ofNullable(text);
  }
}
