package org.tpubootd.metadata;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Time;

/**
 * Keeps what is known of one attribute current: a plain get, then long polls from its etag on.
 * Whatever goes wrong, it asks again, until its thread is interrupted.
 */
final class AttributeWatch implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(AttributeWatch.class);

  /** A server that answers every long poll at once, with the same, gets one a second. */
  private static final Duration BETWEEN_EQUALS = Duration.ofSeconds(1);

  /** Changes follow each other no faster than this; the first of them is not held up. */
  private static final Duration BETWEEN_CHANGES = Duration.ofMillis(100);

  /** Differs from every etag of the server's, so that a long poll with it ends at once. */
  private static final String NO_ETAG = "0";

  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);

  private final String key;
  private final MetadataPath path;
  private final Metadata server;
  private final Outage outage;
  private final Duration longestRetry;
  private final Backoff backoff;
  private final Time time;
  private final Runnable onChange;

  private volatile Reading reading = Reading.NONE_YET;

  /** Where the next long poll goes on from; null where a plain get comes next. */
  private @Nullable String etag;

  /**
   * @param random used by the watch's thread only
   * @param onChange called on the watch's thread after each change of the reading; must be quick
   */
  AttributeWatch(
      String key,
      Metadata server,
      Outage outage,
      Duration longestRetry,
      Time time,
      RandomGenerator random,
      Runnable onChange) {
    this.key = key;
    this.path = MetadataPath.attribute(key);
    this.server = server;
    this.outage = outage;
    this.longestRetry = longestRetry;
    this.backoff = new Backoff(least(FIRST_RETRY, longestRetry), longestRetry, random);
    this.time = time;
    this.onChange = onChange;
  }

  /** What is known now. Thread-safe. */
  Reading reading() {
    return reading;
  }

  @Override
  public void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Duration pause;
        try {
          pause = askOnce();
        } catch (RuntimeException e) {
          log.error("watching {} broke on a defect of tpu-bootd; it goes on", key, e);
          etag = null;
          pause = backoff.next();
        }
        if (pause.isPositive()) {
          time.sleep(pause);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One question; how long to wait before the next. */
  private Duration askOnce() throws InterruptedException {
    long asked = time.nanos();
    String from = etag;
    Answer answer = from == null ? server.get(path) : server.waitForChange(path, from);
    // After anything but a value the next question is a plain get: its answer comes at once, while
    // a long poll would leave the reading as it is until the server's wait is over.
    etag =
        answer instanceof Answer.Value value
            ? Optional.ofNullable(value.etag()).orElse(NO_ETAG)
            : null;
    boolean changed = publish(Reading.of(answer, reading.text()));
    switch (answer) {
      case Answer.Value _, Answer.Absent _ -> {
        outage.answered(key);
        // One that goes on being absent is asked for ever more seldom; a boot may wait for it.
        if (changed || answer instanceof Answer.Value) {
          backoff.reset();
        }
      }
      case Answer.Refused refused -> outage.refused(key, refused.cause());
      case Answer.TryLater later -> outage.failed(key, later.cause());
    }
    return switch (answer) {
      case Answer.Value _ when from == null -> Duration.ZERO;
      case Answer.Value _ -> (changed ? BETWEEN_CHANGES : BETWEEN_EQUALS).minus(time.since(asked));
      case Answer.Absent _, Answer.Refused _ -> backoff.next();
      case Answer.TryLater later -> {
        Duration wait = backoff.next();
        Duration wished = later.retryAfter().orElse(Duration.ZERO);
        yield least(longestRetry, wished.compareTo(wait) > 0 ? wished : wait);
      }
    };
  }

  private boolean publish(Reading next) {
    if (next.equals(reading)) {
      return false;
    }
    reading = next;
    onChange.run();
    return true;
  }

  private static Duration least(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
