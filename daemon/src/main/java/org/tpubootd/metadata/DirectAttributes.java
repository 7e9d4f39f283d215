package org.tpubootd.metadata;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.tpubootd.core.Time;

/**
 * The attributes as the server gives them to a command that runs once: each key is asked for when
 * it is first read, and no more than once. Not thread-safe.
 */
public final class DirectAttributes implements Attributes {

  private final PatientGet server;
  private final Map<String, Reading> known = new HashMap<>();

  /**
   * @param budget how long all keys together are asked for, while the server is away
   */
  public DirectAttributes(Metadata server, Duration budget, Time time, RandomGenerator random) {
    this.server = new PatientGet(server, budget, time, random);
  }

  @Override
  public Reading read(String key) throws InterruptedException {
    Reading reading = known.get(key);
    if (reading == null) {
      reading = Reading.of(server.get(MetadataPath.attribute(key)), null);
      known.put(key, reading);
    }
    return reading;
  }
}
