package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

/** Looks at one container, at its image and at what may hold it up, and says what is to be done. */
final class Lookout {

  /** The safety net under {@link EngineEvents}, which bring most news within milliseconds. */
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  private final ContainerConfig config;
  private final Engine engine;
  private final Gate gate;
  private final Supplier<Optional<String>> imageOfTpuEnv;
  private final HostRoot root;
  private final Restarts restarts;
  private final Trial trial;
  private final History history;
  private final Readiness readiness;
  private final Images images;
  private final Wording wording;
  private volatile Duration wake = INTERVAL;

  Lookout(
      ContainerConfig config,
      Gate gate,
      Supplier<Optional<String>> imageOfTpuEnv,
      Workplace place,
      History history,
      Images images,
      Wording wording) {
    this.config = config;
    this.engine = place.engine();
    this.gate = gate;
    this.imageOfTpuEnv = imageOfTpuEnv;
    this.root = place.root();
    this.history = history;
    this.restarts = history.restarts;
    this.trial = history.trial;
    this.readiness = new Readiness(config.ready(), root, place.time());
    this.images = images;
    this.wording = wording;
  }

  /** How long until the next look: shorter while a restart, a pull or a probe is due before. */
  Duration wake() {
    return wake;
  }

  /** Looks at everything anew, and changes nothing. */
  Look look() throws EngineException, InterruptedException {
    wake = INTERVAL;
    Holdings holdings = engine.holdings(config.name());
    List<Observed> ours = holdings.ours();
    if (!holdings.foreigners().isEmpty() && !holdings.runs()) {
      return Look.only(wording.foreign(holdings.foreigners().getFirst()));
    }
    Optional<Observed> runs = ours.stream().filter(Observed::alive).findFirst();
    if (runs.isEmpty() && holdings.rival().isPresent()) {
      return Look.only(wording.rival(holdings.rival().get()));
    }
    Optional<String> image = image();
    if (image.isEmpty()) {
      return Look.only(wording.imageNotKnown(runs));
    }
    ContainerSpec spec;
    try {
      spec = ContainerSpec.of(config, image.get(), root);
    } catch (ContainerSpec.Impossible e) {
      return Look.only(wording.impossible(e, runs.isPresent()));
    }
    history.look(ours);
    Optional<Trial.Failed> failed = trial.failed(spec.hash(), ours);
    // A spec that has failed is not wanted any more; what came back in its place is.
    String hash = failed.map(Trial.Failed::fallback).orElse(spec.hash());
    Look look = look(spec, hash, failed.isPresent(), holdings);
    // A foreign one has a name that any change needs.
    return (holdings.foreigners().isEmpty() ? look : Look.only(look.now()))
        .noting(wording.notes(holdings));
  }

  private Look look(ContainerSpec spec, String hash, boolean failed, Holdings holdings)
      throws EngineException, InterruptedException {
    List<Observed> ours = holdings.ours();
    Decision decision = Decision.about(ours, hash, Optional.empty());
    return switch (decision) {
      case Decision.Keep keep -> keep(keep, spec);
      case Decision.OnTrial onTrial when onTrial.next().alive() -> {
        Finding now = now(decision, onTrial.next(), spec);
        yield isLater(Trial.LENGTH.minus(restarts.runningFor()))
            ? Look.only(now)
            : keep(onTrial.passed(), spec);
      }
      case Decision.Restore restore
          when restarts.endedByItselfWithin(restore.failed(), Trial.LENGTH) -> {
        trial.failed(hash, restore.old().spec(), restarts.lastEnd());
        yield intend(now(decision, spec, true), spec, decision, Images.Fetch.NOTHING);
      }
      // It has not ended by itself, but with tpu-bootd, the engine or the machine; or it has
      // run for long enough, and nobody could look at it meanwhile.
      case Decision.Restore restore -> lookBeforeStart(restore.again(), spec, true);
      case Decision.Start _, Decision.Replace _, Decision.Make _, Decision.OnTrial _ -> {
        if (decision instanceof Decision.Replace replace) {
          restarts.running(replace.old());
        }
        if (failed) {
          yield lookBeforeStart(decision, spec, true);
        }
        Optional<String> imageId = engine.images().id(spec.image());
        yield lookBeforeStart(Decision.about(ours, hash, imageId), spec, imageId.isPresent());
      }
      case Decision.Wait _ -> Look.only(now(decision, spec, true));
    };
  }

  /** Empty while it is not known which one is asked for. */
  private Optional<String> image() {
    return WantedImage.of(config, imageOfTpuEnv).image();
  }

  /** What is so of one that runs: it may not be ready yet, or not any more. */
  private Finding now(Decision decision, Observed good, ContainerSpec spec)
      throws InterruptedException {
    restarts.running(good);
    Finding now = now(decision, spec, true);
    if (good.status() != Observed.Status.RUNNING) {
      return now;
    }
    Optional<String> whyNot = readiness.whyNot(good, restarts.runningFor());
    isLater(readiness.untilDue());
    return whyNot.isEmpty() || now.state() != State.OK
        ? now
        : wording.notReady(now, whyNot.get(), readiness.isStarting(restarts.runningFor()));
  }

  private Finding now(Decision decision, ContainerSpec spec, boolean imageThere) {
    return wording.now(decision, spec, imageThere).withNotes(wording.notes(decision, images));
  }

  private Look keep(Decision.Keep keep, ContainerSpec spec) throws InterruptedException {
    images.seen();
    Finding now = now(keep, keep.good(), spec);
    boolean inOrder = keep.others().isEmpty() && !keep.good().isNext();
    return inOrder ? Look.only(now) : intend(now, spec, keep, Images.Fetch.NOTHING);
  }

  /** What may stand between a container and its start. */
  private Look lookBeforeStart(Decision decision, ContainerSpec spec, boolean imageThere)
      throws InterruptedException {
    if (imageThere) {
      images.seen();
    }
    Finding now = now(decision, spec, imageThere);
    if (decision instanceof Decision.Wait || isToBeLeftFor(decision)) {
      return Look.only(now);
    }
    boolean runs = decision instanceof Decision.Replace;
    boolean needed = !imageThere && (runs || decision instanceof Decision.Make);
    Images.Fetch fetch = images.toFetch(spec.image(), needed);
    Optional<Finding> held = gate.heldBack();
    // An image is pulled while others are still at work, but not where nothing is ours to do.
    if (held.isPresent() && !(fetch.isNeeded() && held.get().state() == State.WAITING)) {
      return Look.only(runs ? now : held.get());
    }
    if (isLater(restarts.untilDue())) {
      return Look.only(now);
    }
    if (needed && fetch.archive().isEmpty()) {
      if (images.neverPulled() && images.failure().isEmpty()) {
        return Look.only(wording.neverPulled(spec, runs).withNotes(images.archiveProblems()));
      }
      if (isLater(images.untilDue())) {
        PullFailure failure = images.failure().orElseThrow();
        return Look.only(wording.notPulled(failure, runs).withNotes(images.archiveProblems()));
      }
    }
    return held.isPresent()
        ? new Look(held.get(), Steps.toFetch(spec, fetch), new Look.Intent(spec, decision, fetch))
        : intend(now, spec, decision, fetch);
  }

  /**
   * One that somebody has paused is his; and one on trial keeps its predecessor until its trial is
   * over, so that what comes back in the end is one that has proved itself.
   */
  private boolean isToBeLeftFor(Decision decision) {
    return decision instanceof Decision.Replace replace
        && (replace.old().status() == Observed.Status.PAUSED
            || (replace.oldIsOnTrial() && isLater(Trial.LENGTH.minus(restarts.runningFor()))));
  }

  private Look intend(Finding now, ContainerSpec spec, Decision decision, Images.Fetch fetch) {
    return new Look(now, Steps.of(decision, spec, fetch), new Look.Intent(spec, decision, fetch));
  }

  /** Whether it is too early; the next pass is then made in time. */
  private boolean isLater(Duration untilDue) {
    if (!untilDue.isPositive()) {
      return false;
    }
    wake = untilDue.compareTo(wake) < 0 ? untilDue : wake;
    return true;
  }
}
