package org.tpubootd.metadata;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Fetches a token of the VM's default service account, anew at each call. Thread-safe. */
public final class ServiceAccountToken {

  private static final MetadataPath PATH =
      new MetadataPath(List.of("instance", "service-accounts", "default", "token"));

  private final Metadata server;
  private final InstantSource clock;

  public ServiceAccountToken(Metadata server, InstantSource clock) {
    this.server = server;
    this.clock = clock;
  }

  /**
   * One try.
   *
   * @return empty where the VM has no service account (404)
   * @throws IOException where no token came; the message is a sentence without any secret
   */
  public Optional<AccessToken> fetch() throws IOException, InterruptedException {
    return switch (server.get(PATH)) {
      case Answer.Value value -> Optional.of(parse(value.text()));
      case Answer.Absent _ -> Optional.empty();
      case Answer.Refused refused -> throw new IOException(refused.cause());
      case Answer.TryLater later -> throw new IOException(later.cause());
    };
  }

  private AccessToken parse(String json) throws IOException {
    JsonNode answer;
    try {
      answer = new ObjectMapper().readTree(json);
    } catch (JsonProcessingException _) {
      // Neither its message nor the exception itself goes on: both may hold a piece of the token.
      throw notAToken("is not JSON");
    }
    JsonNode token = answer.path("access_token");
    JsonNode seconds = answer.path("expires_in");
    if (!token.isTextual() || token.textValue().isBlank()) {
      throw notAToken("has no access_token");
    }
    if (!seconds.isIntegralNumber() || !seconds.canConvertToInt()) {
      throw notAToken("has no expires_in");
    }
    return new AccessToken(token.textValue(), clock.instant().plusSeconds(seconds.intValue()));
  }

  private static IOException notAToken(String why) {
    return new IOException("asking the metadata server for " + PATH + ": the answer " + why);
  }
}
