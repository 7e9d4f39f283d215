package org.tpubootd.metadata;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.tpubootd.core.Time;

/** The attributes that the daemon keeps an eye on, each by a watch on a thread of its own. */
public final class WatchedAttributes implements Attributes, AutoCloseable {

  private final Map<String, AttributeWatch> watches = new LinkedHashMap<>();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * @param longestRetry no two questions for one key are further apart, while the server is away
   * @param onChange gets the key after each change of its reading, on that key's thread; must be
   *     quick. What it reads then is the new reading.
   */
  public WatchedAttributes(
      Metadata server,
      Collection<String> keys,
      Duration longestRetry,
      Time time,
      RandomGenerator random,
      Consumer<String> onChange) {
    var outage = new Outage(time);
    for (String key : keys) {
      // A generator each: they need not be thread-safe then.
      var ownRandom = new SplittableRandom(random.nextLong());
      watches.put(
          key,
          new AttributeWatch(
              key, server, outage, longestRetry, time, ownRandom, () -> onChange.accept(key)));
    }
  }

  /** Begins to ask. Called once. */
  public synchronized void start() {
    watches.forEach(
        (key, watch) -> threads.add(Thread.ofVirtual().name("metadata/" + key).start(watch)));
  }

  /** Ends the watches, also those in the middle of a long poll; does not wait until they have. */
  @Override
  public synchronized void close() {
    threads.forEach(Thread::interrupt);
  }

  /**
   * What the key's watch last saw. Does not wait.
   *
   * @throws IllegalArgumentException for a key that is not watched
   */
  @Override
  public Reading read(String key) {
    AttributeWatch watch = watches.get(key);
    if (watch == null) {
      throw new IllegalArgumentException("attribute " + key + " is not watched");
    }
    return watch.reading();
  }
}
