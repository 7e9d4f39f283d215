package org.tpubootd.container;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What programs read of one container in /status. */
final class Facts {

  private final History history;

  Facts(History history) {
    this.history = history;
  }

  Map<String, Object> of(Observed container, ContainerSpec spec) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("id", container.id());
    facts.put("name", container.name());
    facts.put("status", container.status().name().toLowerCase(Locale.ROOT));
    facts.put("image", spec.image().text());
    facts.put("imageId", container.imageId());
    facts.put("spec", spec.hash());
    facts.put("startedAt", Times.wholeSeconds(container.startedAt()));
    if (!container.alive() && history.restarts.untilDue().isPositive()) {
      facts.put("startsAgainInSeconds", Times.wholeSeconds(history.restarts.untilDue()));
    }
    facts.putAll(ofEnds());
    return facts;
  }

  /** How its runs ended, where there is no container to be told of. */
  Map<String, Object> ofEnds() {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("endsInARow", history.restarts.inARow());
    if (!history.restarts.ends().isEmpty()) {
      facts.put("lastEnds", history.restarts.ends().stream().map(Facts::of).toList());
      facts.put("lastLog", history.lastLog());
    }
    return facts;
  }

  private static Map<String, Object> of(Restarts.End end) {
    return Map.of(
        "exitCode", end.exitCode(),
        "oomKilled", end.oomKilled(),
        "finishedAt", Times.wholeSeconds(end.finishedAt()),
        "ranSeconds", end.ran().toSeconds(),
        "engineWent", end.engineWent(),
        "error", end.error());
  }
}
