package org.tpubootd.container;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the engine holds of one part.
 *
 * @param ours the containers with our label and one of the part's two names; one, if all is well
 * @param foreigners those that have one of the names and not our label
 * @param lookalikes those that have our label and neither name, such as one that a person runs from
 *     an image made by {@code docker commit}: such an image hands its labels on
 * @param rival a running one of somebody else's that does the part's work under another name
 */
record Holdings(
    List<Observed> ours, List<Other> foreigners, List<Other> lookalikes, Optional<Other> rival) {

  /** The names that the containers of Google's own units have, by part. */
  private static final Map<String, Set<String>> RIVALS =
      Map.of("vbar", Set.of("vbarcontrolagent", "vbar_control_agent"));

  static boolean isRival(String part, String containerName) {
    return RIVALS.getOrDefault(part, Set.of()).contains(containerName);
  }

  /** A container that is not ours, and never touched. */
  record Other(String id, String name) {}

  Holdings {
    ours = List.copyOf(ours);
    foreigners = List.copyOf(foreigners);
    lookalikes = List.copyOf(lookalikes);
  }

  boolean runs() {
    return ours.stream().anyMatch(Observed::alive);
  }
}
