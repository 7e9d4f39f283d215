package org.tpubootd.metadata;

import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Time;

/**
 * Gets that are tried again while the server asks for it, all of them together within one budget of
 * time: for commands, which end. When the budget is spent, what is not known by then is answered
 * with the last failure, without asking. The last try may outlast the budget by its own limit. Not
 * thread-safe.
 */
final class PatientGet {

  private static final Duration FIRST_RETRY = Duration.ofMillis(200);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);

  private final Metadata server;
  private final Duration budget;
  private final Time time;
  private final Backoff backoff;
  private @Nullable Long began;

  /** The failure that the budget ended with. */
  private Answer.@Nullable TryLater spent;

  PatientGet(Metadata server, Duration budget, Time time, RandomGenerator random) {
    this.server = server;
    this.budget = budget;
    this.time = time;
    this.backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY, random);
  }

  Answer get(MetadataPath path) throws InterruptedException {
    if (began == null) {
      began = time.nanos();
    }
    while (spent == null) {
      Answer answer = server.get(path);
      if (!(answer instanceof Answer.TryLater later)) {
        backoff.reset();
        return answer;
      }
      // A server that says "at once" is not to be asked in a loop.
      Duration jittered = backoff.next();
      Duration wait =
          later.retryAfter().filter(asked -> asked.compareTo(jittered) > 0).orElse(jittered);
      // A wait up to the end of the budget would only put off the same answer.
      if (time.since(began).plus(wait).compareTo(budget) < 0) {
        time.sleep(wait);
      } else {
        spent = later;
      }
    }
    return spent;
  }
}
