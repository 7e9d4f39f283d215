package org.tpubootd.container;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the engine holds of one part.
 *
 * @param ours the containers with our label and the part's name in it; one, if all is well
 * @param foreigner the id of a container that has our name and not our label
 * @param rival the name of a running container of somebody else's that does the part's work
 */
record Holdings(List<Observed> ours, Optional<String> foreigner, Optional<String> rival) {

  /** The names that the containers of Google's own units have, by part. */
  private static final Map<String, Set<String>> RIVALS =
      Map.of("vbar", Set.of("vbarcontrolagent", "vbar_control_agent"));

  static boolean isRival(String part, String containerName) {
    return RIVALS.getOrDefault(part, Set.of()).contains(containerName);
  }

  Holdings {
    ours = List.copyOf(ours);
  }
}
