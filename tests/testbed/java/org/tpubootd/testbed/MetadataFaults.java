package org.tpubootd.testbed;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The faults of a {@link FakeMetadata} that are switched on, by path. Switching one on reaches the
 * long polls that are being held, too. Thread-safe.
 */
public final class MetadataFaults {

  private final Object world;
  private final Map<String, MetadataFault> faults = new LinkedHashMap<>();

  /**
   * @param world notified of each change
   */
  MetadataFaults(Object world) {
    this.world = world;
  }

  /** For every path. */
  public void everywhere(MetadataFault fault) {
    at("", fault);
  }

  /** For the attribute of this key. */
  public void attribute(String key, MetadataFault fault) {
    at(MetadataTree.ATTRIBUTES + key, fault);
  }

  /**
   * For one path below {@code /computeMetadata/v1/}, or for all that begin with it where it ends in
   * a slash.
   */
  public void at(String path, MetadataFault fault) {
    synchronized (world) {
      faults.put(path, fault);
      world.notifyAll();
    }
  }

  /** All is well again. */
  public void clear() {
    synchronized (world) {
      faults.clear();
      world.notifyAll();
    }
  }

  /** The fault of a path; of two, the one switched on last. */
  Optional<MetadataFault> of(String path) {
    synchronized (world) {
      return faults.entrySet().stream()
          .filter(entry -> covers(entry.getKey(), path))
          .map(Map.Entry::getValue)
          .reduce((_, last) -> last);
    }
  }

  private static boolean covers(String place, String path) {
    return place.isEmpty() || path.equals(place) || (place.endsWith("/") && path.startsWith(place));
  }
}
