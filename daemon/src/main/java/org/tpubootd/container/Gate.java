package org.tpubootd.container;

import java.util.Optional;
import org.tpubootd.core.Finding;

/** Says whether a container may be started now. A running one is never touched because of it. */
@FunctionalInterface
public interface Gate {

  /** Why a container is not to be started yet (waiting) or at all (inert); empty when it may. */
  Optional<Finding> heldBack();

  /** Open when both are. */
  default Gate and(Gate other) {
    return () -> heldBack().or(other::heldBack);
  }
}
