package org.tpubootd.container;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
      implements Decision {

    /** Whether it is new itself, and one that has proved itself is still kept beside it. */
    boolean oldIsOnTrial() {
      return old.isNext() && predecessor(others, old.spec()).isPresent();
    }
  }

  /**
   * A new one runs, or is to be started, in the place of an old one, which is kept until the new
   * one has proved itself.
   */
  record OnTrial(Observed next, Observed old, List<Observed> others) implements Decision {
    /** What is to be done when it has. */
    Keep passed() {
      return new Keep(next, Stream.concat(Stream.of(old), others.stream()).toList());
    }
  }

  /** The new one has ended on its trial: the old one is to come back. */
  record Restore(Observed failed, Observed old, List<Observed> others) implements Decision {
    /** What is to be done where it has not ended by itself. */
    OnTrial again() {
      return new OnTrial(failed, old, others);
    }
  }

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
    Optional<Observed> predecessor = predecessor(ours, hash);
    if (right.isPresent()) {
      List<Observed> others = without(ours, right.get());
      return right.get().isNext() && predecessor.isPresent()
          ? new OnTrial(right.get(), predecessor.get(), without(others, predecessor.get()))
          : new Keep(right.get(), others);
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
    Optional<Observed> ended =
        ours.stream()
            .filter(container -> container.isNext() && container.hasSpec(hash))
            .filter(container -> container.status() == Status.EXITED)
            .findFirst();
    if (ended.isPresent() && predecessor.isPresent()) {
      List<Observed> others = without(ours, ended.get());
      return new Restore(ended.get(), predecessor.get(), without(others, predecessor.get()));
    }
    if (stopped.isPresent()) {
      List<Observed> others = without(ours, stopped.get());
      // A replacement was cut off between the stop of the old one and the start of the new one.
      return stopped.get().isNext() && predecessor.isPresent()
          ? new OnTrial(stopped.get(), predecessor.get(), without(others, predecessor.get()))
          : new Start(stopped.get(), others);
    }
    Optional<Observed> leaving =
        ours.stream().filter(container -> container.status() == Status.REMOVING).findFirst();
    if (leaving.isPresent()) {
      return new Wait(leaving.get(), without(ours, leaving.get()));
    }
    return new Make(ours);
  }

  /** The stopped one of another spec whose place a new one has taken, or is about to take. */
  private static Optional<Observed> predecessor(List<Observed> ours, String hash) {
    return ours.stream()
        .filter(container -> container.status() == Status.EXITED)
        .filter(container -> !container.hasSpec(hash) && !container.isNext())
        .max(Comparator.comparing(Observed::startedAt));
  }

  /** What the engine removes already needs no help. */
  private static List<Observed> without(List<Observed> ours, Observed one) {
    return ours.stream()
        .filter(container -> !container.equals(one) && container.status() != Status.REMOVING)
        .toList();
  }
}
