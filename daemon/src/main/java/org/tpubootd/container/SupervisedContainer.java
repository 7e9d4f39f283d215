package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;
import org.tpubootd.core.State;
import org.tpubootd.core.Step;

/**
 * Keeps one container running. A running one of the right spec is never touched, whoever started it
 * and when: so a restart or an upgrade of tpu-bootd does not reach the container.
 */
public final class SupervisedContainer implements Component {

  /** The safety net under {@link EngineEvents}, which bring most news within milliseconds. */
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  /** What a pass means to do. */
  private record Intent(ContainerSpec spec, Decision decision, Images.Fetch fetch) {}

  /**
   * What a look found.
   *
   * @param intent null where nothing is to be done, or not yet
   */
  private record Look(Finding now, List<Step> steps, @Nullable Intent intent) {
    static Look only(Finding now) {
      return new Look(now, List.of(), null);
    }
  }

  private final ContainerConfig config;
  private final ContainersConfig limits;
  private final Engine engine;
  private final Gate gate;
  private final Supplier<Optional<String>> imageOfTpuEnv;
  private final HostRoot root;
  private final History history;
  private final Restarts restarts;
  private final Trial trial;
  private final Readiness readiness;
  private final Images images;
  private final Changes changes;
  private final Removal removal;
  private final Wording wording;
  private volatile Duration wake = INTERVAL;

  /**
   * @param imageOfTpuEnv the image that tpu-env names; blank where it names none, empty while
   *     tpu-env is not known. Asked only where the configuration says so
   */
  public SupervisedContainer(
      ContainerConfig config,
      Gate gate,
      Supplier<Optional<String>> imageOfTpuEnv,
      Workplace place) {
    this.config = config;
    this.imageOfTpuEnv = imageOfTpuEnv;
    this.limits = place.limits();
    this.engine = place.engine();
    this.gate = gate;
    this.root = place.root();
    this.history = new History(config.name(), place);
    this.restarts = history.restarts;
    this.trial = history.trial;
    this.readiness = new Readiness(config.ready(), root, place.time());
    this.images = new Images(config.pull(), place);
    this.changes = new Changes(engine, limits, history);
    this.removal = new Removal(engine, limits);
    this.wording = new Wording(config, history);
  }

  @Override
  public Part part() {
    return new Part("container/" + config.name(), Part.Group.CONTAINER, config.required());
  }

  /** Shorter while a restart or a pull is due before the next regular look. */
  @Override
  public Duration interval() {
    return wake;
  }

  @Override
  public Duration longestPass() {
    int calls = 15;
    // One for reading archives and one for loading, before the pull.
    return limits
        .pullDeadline()
        .multipliedBy(3)
        .plus(limits.stopTimeout())
        .plus(limits.callDeadline().multipliedBy(calls))
        .plus(config.ready().timeout().multipliedBy(2));
  }

  @Override
  public Plan plan() throws InterruptedException {
    if (!config.enabled()) {
      return planSwitchedOff();
    }
    history.load();
    try {
      Look seen = look();
      return new Plan(
          seen.now(),
          seen.steps(),
          progress -> {
            // A look may have found an end, which counts even if we are killed a moment later.
            history.save();
            Intent intent = seen.intent();
            if (intent == null) {
              return seen.now();
            }
            Finding found = carryOut(intent, progress);
            history.save();
            return found;
          });
    } catch (EngineException e) {
      return Plan.nothingToDo(Wording.trouble(e));
    }
  }

  private Look look() throws EngineException, InterruptedException {
    wake = INTERVAL;
    Holdings holdings = engine.holdings(config.name());
    List<Observed> ours = holdings.ours();
    if (ours.isEmpty() && holdings.foreigner().isPresent()) {
      return Look.only(wording.foreign(holdings.foreigner().get()));
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
    Decision decision = Decision.about(ours, hash, Optional.empty());
    return switch (decision) {
      case Decision.Keep keep -> keep(keep, spec);
      case Decision.OnTrial onTrial when onTrial.next().alive() -> {
        Finding now = now(decision, onTrial.next(), spec);
        yield isLater(Trial.LENGTH.minus(restarts.runningFor()))
            ? Look.only(now)
            : keep(onTrial.passed(), spec);
      }
      case Decision.Restore restore when restarts.isLastEnd(restore.failed()) -> {
        trial.failed(hash, restore.old().spec(), restarts.lastEnd());
        yield intend(now(decision, spec, true), spec, decision, Images.Fetch.NOTHING);
      }
      // It has not ended by itself: it was stopped with tpu-bootd or with the machine.
      case Decision.Restore restore -> lookBeforeStart(restore.again(), spec, true);
      case Decision.Start _, Decision.Replace _, Decision.Make _, Decision.OnTrial _ -> {
        if (failed.isPresent()) {
          yield lookBeforeStart(decision, spec, true);
        }
        Optional<String> imageId = engine.imageId(spec.image());
        yield lookBeforeStart(Decision.about(ours, hash, imageId), spec, imageId.isPresent());
      }
      case Decision.Wait _ -> Look.only(now(decision, spec, true));
    };
  }

  /** Empty while it is not known which one is asked for. */
  private Optional<String> image() {
    return config.imageFromTpuEnv()
        ? imageOfTpuEnv.get().map(named -> named.isBlank() ? config.image() : named.strip())
        : Optional.of(config.image());
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
    return wording
        .now(decision, spec, imageThere)
        .withNotes(wording.notes(decision, images));
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
    if (decision instanceof Decision.Wait) {
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
      if (images.neverPulled()) {
        return Look.only(
            wording.neverPulled(spec, runs).withNotes(images.archiveProblems()));
      }
      if (isLater(images.untilDue())) {
        PullFailure failure = images.failure().orElseThrow();
        return Look.only(
            wording.notPulled(failure, runs).withNotes(images.archiveProblems()));
      }
    }
    return held.isPresent()
        ? new Look(
            held.get(), wording.stepsToFetch(spec, fetch), new Intent(spec, decision, fetch))
        : intend(now, spec, decision, fetch);
  }

  private Look intend(Finding now, ContainerSpec spec, Decision decision, Images.Fetch fetch) {
    return new Look(now, wording.steps(decision, spec, fetch), new Intent(spec, decision, fetch));
  }

  /** Whether it is too early; the next pass is then made in time. */
  private boolean isLater(Duration untilDue) {
    if (!untilDue.isPositive()) {
      return false;
    }
    wake = untilDue.compareTo(wake) < 0 ? untilDue : wake;
    return true;
  }

  private Finding carryOut(Intent intent, Consumer<Finding> progress) throws InterruptedException {
    try {
      Intent now = fetch(intent, progress);
      if (now != null && !now.fetch().isNeeded()) {
        changes.carryOut(now.spec(), now.decision());
      }
      return look().now();
    } catch (EngineException.Refused e) {
      return refused(e);
    } catch (EngineException e) {
      return Wording.trouble(e);
    }
  }

  /**
   * What is to be done when the image is there. A load and a pull may have taken minutes: what was
   * seen before is old by then.
   */
  private @Nullable Intent fetch(Intent intent, Consumer<Finding> progress)
      throws EngineException, InterruptedException {
    Intent now = intent;
    // Each archive either brings the image or is not named a second time.
    while (now != null && now.fetch().archive().isPresent()) {
      ImageName image = now.spec().image();
      Tarballs.Tarball archive = now.fetch().archive().get();
      progress.accept(
          wording.fetching(now.decision(), "loading " + image + " out of " + archive.path()));
      images.load(image, archive);
      now = look().intent();
    }
    if (now != null && now.fetch().pull()) {
      ImageName image = now.spec().image();
      Decision decision = now.decision();
      images.pull(
          image,
          text -> progress.accept(wording.fetching(decision, "pulling " + image + ": " + text)));
      now = look().intent();
    }
    return now;
  }

  /** A start that was refused is an end like others; what else is refused is told as it is. */
  private Finding refused(EngineException.Refused e) throws InterruptedException {
    if (restarts.lastError().filter(e.reason::equals).isEmpty() && trial.failed().isEmpty()) {
      return Wording.trouble(e);
    }
    try {
      return look().now();
    } catch (EngineException later) {
      return Wording.trouble(later);
    }
  }

  private Plan planSwitchedOff() throws InterruptedException {
    Finding off = wording.switchedOff();
    try {
      List<Observed> ours = engine.holdings(config.name()).ours();
      if (ours.isEmpty()) {
        return Plan.nothingToDo(off);
      }
      return new Plan(
          off,
          wording.stepsToRemove(ours, off.summary()),
          _ -> {
            try {
              removal.of(ours);
              return off;
            } catch (EngineException e) {
              return Wording.trouble(e);
            }
          });
    } catch (EngineException e) {
      return Plan.nothingToDo(
          off.withNotes(List.of("a container of it may still run: " + e.getMessage())));
    }
  }
}
