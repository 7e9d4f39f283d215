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

  public Optional<String> textIfAny() {
    return Optional.ofNullable(text);
  }
}
