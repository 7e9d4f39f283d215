package org.tpubootd.metadata;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What came of asking the metadata server once. Causes are sentences from outside in. */
public sealed interface Answer {

  /**
   * The server gave a value.
   *
   * @param text the body, exactly
   * @param etag names this content in a later {@link Metadata#waitForChange}; null where the server
   *     gave none
   */
  record Value(String text, @Nullable String etag) implements Answer {
    /** Without the text: it may be a token. */
    @Override
    public String toString() {
      return "Value[" + text.length() + " characters, etag=" + etag + "]";
    }
  }

  /** The server says that there is no such value (404). It may come later. */
  record Absent(String cause) implements Answer {}

  /**
   * The server answered, but asking again as before is not likely to help.
   *
   * @param action what a person can do
   */
  record Refused(String cause, String action) implements Answer {}

  /**
   * No answer, a broken one, or the wish to be asked later (429, 5xx).
   *
   * @param retryAfter how long the server wants to be left alone
   */
  record TryLater(String cause, Optional<Duration> retryAfter) implements Answer {}
}
