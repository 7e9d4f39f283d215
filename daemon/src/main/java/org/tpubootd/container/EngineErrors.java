package org.tpubootd.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.ResponseItem;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Makes ours of docker-java's exceptions, which are all unchecked and of which many name neither
 * what was tried nor on what.
 */
final class EngineErrors {

  /** docker-java puts the engine's answer behind its own word. */
  private static final Pattern STATUS = Pattern.compile("(?s)Status \\d+: (.*)");

  /** In the engine's words, whatever it was doing. */
  static final String DISK_FULL = "no space left on device";

  static final String MAKE_ROOM = "make room on the disk of the engine's data folder";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String address;

  EngineErrors(String address) {
    this.address = address;
  }

  EngineException hung(String what, Duration limit) {
    String reason = "took the call and did not answer within " + limit.toMillis() + " ms";
    return new EngineException.Hung(tried(what) + reason, "it " + reason);
  }

  /** What a call comes to that was not even made, since the engine is known to be away. */
  EngineException away(String what, IOException why) {
    return unreachable(what, howUnreachable(why));
  }

  private EngineException unreachable(String what, String how) {
    return new EngineException.Unreachable(tried(what) + how);
  }

  private String tried(String what) {
    return "cannot " + what + ": the engine at " + address + " ";
  }

  /** Looks through the causes for the one that tells most. */
  EngineException of(String what, Throwable cause) {
    String tried = tried(what);
    for (Throwable e = cause; e != null; e = e.getCause()) {
      switch (e) {
        case EngineException known -> {
          return known;
        }
        case NotFoundException notFound -> {
          String reason = reason(notFound);
          return new EngineException.NotFound(tried + "answered: " + reason, reason);
        }
        case ConflictException conflict -> {
          String reason = reason(conflict);
          return new EngineException.Conflict(tried + "answered: " + reason, reason);
        }
        case DockerException refused -> {
          String reason = reason(refused);
          return new EngineException.Refused(
              tried + "answered " + refused.getHttpStatus() + ": " + reason, reason);
        }
        case JsonProcessingException broken -> {
          return unreachable(
              what, "answered with half or broken JSON: " + broken.getOriginalMessage());
        }
        case IOException io -> {
          return unreachable(what, howUnreachable(io));
        }
        default -> {}
      }
    }
    return new EngineException.Unexpected(
        "cannot %s at %s: it broke with %s".formatted(what, address, cause), cause);
  }

  private static String howUnreachable(IOException io) {
    String message = String.valueOf(io.getMessage());
    if (message.contains("No such file or directory")) {
      return "is not there: no such socket";
    }
    if (message.contains("Connection refused")) {
      return "is not running: nobody listens at the socket";
    }
    if (message.contains("Permission denied")) {
      return "cannot be talked to: the socket may be used by root and the group docker only";
    }
    return "broke the connection: " + message;
  }

  /**
   * What an item of a stream says against what was asked for. Docker tells it twice, and others
   * only by the older of the two fields.
   */
  @SuppressWarnings("deprecation") // see above
  static Optional<String> in(ResponseItem item) {
    var detail = item.getErrorDetail();
    return detail != null && detail.getMessage() != null
        ? Optional.of(detail.getMessage())
        : Optional.ofNullable(item.getError());
  }

  /** What the engine said, out of its JSON and of what docker-java put before it. */
  private static String reason(DockerException e) {
    String message = String.valueOf(e.getMessage()).strip();
    var status = STATUS.matcher(message);
    String body = status.matches() ? status.group(1).strip() : message;
    try {
      JsonNode said = JSON.readTree(body).path("message");
      return said.isTextual() ? said.asText() : body;
    } catch (JsonProcessingException _) {
      return body;
    }
  }
}
