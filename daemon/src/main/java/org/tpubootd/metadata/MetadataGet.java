package org.tpubootd.metadata;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.tpubootd.core.Time;

/** {@code tpu-bootd metadata get KEY [DEFAULT] [TYPE]}, without the command line. */
public final class MetadataGet {

  /** The TYPE where none is given. */
  public static final String DEFAULT_TYPE = "attributes";

  private final PatientGet server;

  /**
   * @param budget how long it is tried again while the server is away
   */
  public MetadataGet(Metadata server, Duration budget, Time time, RandomGenerator random) {
    this.server = new PatientGet(server, budget, time, random);
  }

  /**
   * What the command prints, and its exit code: 0 or 1.
   *
   * @param out for standard output, as it is
   * @param err for standard error; lines, or empty
   */
  public record Result(int exitCode, String out, String err) {}

  /**
   * @param fallback printed where there is no such key; an empty one counts as given
   * @param type the directory below {@code instance/}
   */
  public Result run(String key, Optional<String> fallback, String type)
      throws InterruptedException {
    return switch (server.get(MetadataPath.instance(type, key))) {
      case Answer.Value value -> printed(value.text());
      case Answer.Absent absent ->
          fallback
              .map(MetadataGet::printed)
              .orElseGet(() -> failed(absent.cause() + ", and no default is given"));
      case Answer.Refused refused -> failed(refused.cause() + "; " + refused.action());
      case Answer.TryLater later -> failed(later.cause());
    };
  }

  private static Result printed(String text) {
    return new Result(0, text.endsWith("\n") ? text : text + "\n", "");
  }

  private static Result failed(String message) {
    return new Result(1, "", message + "\n");
  }
}
