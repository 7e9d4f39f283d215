package org.tpubootd.container;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.tpubootd.container.Observed.Status;

/**
 * What is to be done about the containers of one part. In each case {@code others} are those of
 * ours that are too many.
 */
sealed interface Decision {

  List<Observed> others();

  /** One runs as it should: it is never touched. */
  record Keep(Observed good, List<Observed> others) implements Decision {}

  /** One of the right spec is stopped. */
  record Start(Observed stopped, List<Observed> others) implements Decision {}

  /**
   * One of another spec runs.
   *
   * @param prepared one of the right spec, left by a replacement that was cut off
   */
  record Replace(Observed old, Optional<Observed> prepared, List<Observed> others)
      implements Decision {}

  /** None is there that could be used. */
  record Make(List<Observed> others) implements Decision {}

  /** The engine is removing the one that has the name: nothing can be done before it is gone. */
  record Wait(Observed leaving, List<Observed> others) implements Decision {}

  /**
   * @param hash of the spec that is wanted
   * @param imageId what the spec's image stands for on this host now; empty where it is not there
   */
  static Decision about(List<Observed> ours, String hash, Optional<String> imageId) {
    Optional<Observed> right =
        ours.stream()
            .filter(container -> container.alive() && container.hasSpec(hash))
            .min(Comparator.comparing(Observed::startedAt));
    if (right.isPresent()) {
      return new Keep(right.get(), without(ours, right.get()));
    }
    // A running one keeps its image, whatever the name stands for by now; a stopped one need not.
    Predicate<Observed> usable =
        container ->
            container.canBeStarted()
                && container.hasSpec(hash)
                && imageId.map(container.imageId()::equals).orElse(true);
    Optional<Observed> stopped =
        ours.stream().filter(usable).max(Comparator.comparing(Observed::startedAt));
    Optional<Observed> old = ours.stream().filter(Observed::alive).findFirst();
    if (old.isPresent()) {
      List<Observed> others = without(ours, old.get());
      return new Replace(
          old.get(), stopped, stopped.map(one -> without(others, one)).orElse(others));
    }
    if (stopped.isPresent()) {
      return new Start(stopped.get(), without(ours, stopped.get()));
    }
    Optional<Observed> leaving =
        ours.stream().filter(container -> container.status() == Status.REMOVING).findFirst();
    if (leaving.isPresent()) {
      return new Wait(leaving.get(), without(ours, leaving.get()));
    }
    return new Make(ours);
  }

  /** What the engine removes already needs no help. */
  private static List<Observed> without(List<Observed> ours, Observed one) {
    return ours.stream()
        .filter(container -> !container.equals(one) && container.status() != Status.REMOVING)
        .toList();
  }
}
