package org.tpubootd.container;

import java.util.List;
import java.util.Optional;

/**
 * What the engine holds of one part.
 *
 * @param ours the containers with our label and the part's name in it; one, if all is well
 * @param foreigner the id of a container that has our name and not our label
 */
record Holdings(List<Observed> ours, Optional<String> foreigner) {

  Holdings {
    ours = List.copyOf(ours);
  }
}
