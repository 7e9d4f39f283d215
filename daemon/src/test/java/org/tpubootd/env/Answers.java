package org.tpubootd.env;

import java.util.HashMap;
import java.util.Map;
import org.tpubootd.metadata.Attributes;
import org.tpubootd.metadata.Reading;
import org.tpubootd.metadata.Reading.Status;

/** A metadata server that says what a test wants; like ours, it keeps the last text it had. */
final class Answers implements Attributes {

  private final Map<String, Reading> readings = new HashMap<>();

  Answers give(String key, String text) {
    readings.put(key, new Reading(Status.PRESENT, text, null, null));
    return this;
  }

  Answers fail(String key, Status status, String cause) {
    var before = readings.get(key);
    readings.put(
        key, new Reading(status, before == null ? null : before.text(), cause, "do something"));
    return this;
  }

  /** As at the start of a process. */
  Answers forget(String key) {
    readings.remove(key);
    return this;
  }

  @Override
  public Reading read(String key) {
    return readings.getOrDefault(key, new Reading(Status.ABSENT, null, null, null));
  }
}
