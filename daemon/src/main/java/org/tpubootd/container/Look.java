package org.tpubootd.container;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Step;

/**
 * What a look at one container found.
 *
 * @param intent null where nothing is to be done, or not yet
 */
record Look(Finding now, List<Step> steps, @Nullable Intent intent) {

  /** What a pass means to do. */
  record Intent(ContainerSpec spec, Decision decision, Images.Fetch fetch) {}

  static Look only(Finding now) {
    return new Look(now, List.of(), null);
  }
}
