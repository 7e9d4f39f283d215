package org.tpubootd.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Judges what came back: only what is surely the metadata server's word is a value. */
final class AnswerReader {

  /** Bytes; the largest tpu-env seen has a few thousand. */
  private static final int LARGEST_BODY = 1 << 20;

  private static final String NOT_OURS =
      "find out what answers in the metadata server's place: a proxy, a captive portal, an"
          + " emulator";

  private final InstantSource clock;

  AnswerReader(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * @param asking the beginning of every cause
   * @throws IOException where the connection broke while the body was read
   */
  Answer read(String asking, Response response) throws IOException {
    int status = response.getStatus();
    String answered = asking + ": it answered " + status + " " + reason(response);
    if (status == 200) {
      return value(asking, response);
    }
    // Bodies of errors are HTML for people; nothing is read from them.
    if (status == 404) {
      return new Answer.Absent(answered);
    }
    if (status == 429 || status >= 500) {
      return new Answer.TryLater(answered, retryAfter(response.getHeaderString("Retry-After")));
    }
    if (status >= 300 && status < 400) {
      String to = response.getHeaderString("Location");
      return new Answer.Refused(
          answered + (to == null ? "" : " to " + to) + ", and no redirect is followed", NOT_OURS);
    }
    return new Answer.Refused(
        answered,
        switch (status) {
          case 401, 403 ->
              "let this VM ask: see the policy of whatever guards the metadata server"
                  + " (a firewall, a proxy, GKE's metadata server)";
          default -> "see that the server named is a metadata server of Compute Engine";
        });
  }

  private static Answer value(String asking, Response response) throws IOException {
    String flavor = response.getHeaderString("Metadata-Flavor");
    if (!"Google".equals(flavor)) {
      return new Answer.Refused(
          asking
              + ": the answer "
              + (flavor == null
                  ? "lacks the header Metadata-Flavor"
                  : "has another Metadata-Flavor")
              + " (Google), so a metadata server did not give it",
          NOT_OURS);
    }
    // As it came: Jersey's getters of typed headers throw where one is malformed, and so does its
    // readEntity.
    String type = response.getHeaderString("Content-Type");
    if (type != null && type.toLowerCase(Locale.ROOT).startsWith("text/html")) {
      return new Answer.Refused(asking + ": an HTML page came instead of the value", NOT_OURS);
    }
    byte[] body;
    try (InputStream in = (InputStream) response.getEntity()) {
      body = in.readNBytes(LARGEST_BODY + 1);
    }
    if (body.length > LARGEST_BODY) {
      return new Answer.Refused(
          asking + ": the answer is longer than " + LARGEST_BODY + " bytes", NOT_OURS);
    }
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      return new Answer.Value(text, response.getHeaderString("ETag"));
    } catch (CharacterCodingException e) {
      return new Answer.Refused(
          asking + ": the answer is not UTF-8 text", "set the value anew, as UTF-8 text");
    }
  }

  private static String reason(Response response) {
    String reason = response.getStatusInfo().getReasonPhrase();
    return reason == null ? "" : reason.strip();
  }

  /** Seconds or a date (RFC 9110, 10.2.3); anything else counts as not given. */
  private Optional<Duration> retryAfter(@Nullable String header) {
    if (header == null) {
      return Optional.empty();
    }
    if (header.matches("[0-9]{1,9}")) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(header)));
    }
    try {
      var at = ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      var wait = Duration.between(clock.instant(), at);
      return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
