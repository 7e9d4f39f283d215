package org.tpubootd.container;

import java.util.List;
import java.util.stream.Stream;
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

  /** The same with more to know, in front of the rest. */
  Look noting(List<String> more) {
    var notes = Stream.concat(more.stream(), now.notes().stream()).toList();
    return new Look(now.withNotes(notes), steps, intent);
  }
}
