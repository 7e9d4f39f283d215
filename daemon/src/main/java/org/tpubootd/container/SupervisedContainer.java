package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;

/**
 * Keeps one container running. A running one of the right spec is never touched, whoever started it
 * and when: so a restart or an upgrade of tpu-bootd does not reach the container.
 */
public final class SupervisedContainer implements Component {

  private final ContainerConfig config;
  private final ContainersConfig limits;
  private final Engine engine;
  private final History history;
  private final Images images;
  private final Wording wording;
  private final Lookout lookout;
  private final Changes changes;
  private final Removal removal;

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
    this.limits = place.limits();
    this.engine = place.engine();
    this.history = new History(config.name(), place);
    this.images = new Images(part().name(), config.pull(), place);
    this.wording = new Wording(config, history);
    this.lookout = new Lookout(config, gate, imageOfTpuEnv, place, history, images, wording);
    this.changes = new Changes(part().name(), engine, limits, history);
    this.removal = new Removal(engine, limits, part().name());
  }

  @Override
  public Part part() {
    return new Part("container/" + config.name(), Part.Group.CONTAINER, config.required());
  }

  /** Shorter while something is due before the next regular look. */
  @Override
  public Duration interval() {
    return lookout.wake();
  }

  @Override
  public Duration longestPass() {
    int calls = 15;
    return Images.longest(limits)
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
      Look seen = lookout.look();
      return new Plan(
          seen.now(),
          seen.steps(),
          progress -> {
            // A look may have found an end, which counts even if we are killed a moment later.
            history.save();
            Look.Intent intent = seen.intent();
            if (intent == null) {
              return seen.now();
            }
            Finding found = carryOut(intent, progress);
            history.save();
            return found;
          });
    } catch (EngineException e) {
      return Plan.nothingToDo(Trouble.of(e));
    }
  }

  private Finding carryOut(Look.Intent intent, Consumer<Finding> progress)
      throws InterruptedException {
    try {
      Look.Intent now = fetch(intent, progress);
      if (now != null && !now.fetch().isNeeded()) {
        changes.carryOut(now.spec(), now.decision());
      }
      return lookout.look().now();
    } catch (EngineException e) {
      return broken(e);
    }
  }

  /**
   * What is to be done when the image is there. A load and a pull may have taken minutes: what was
   * seen before is old by then.
   */
  private Look.@Nullable Intent fetch(Look.Intent intent, Consumer<Finding> progress)
      throws EngineException, InterruptedException {
    Look.Intent now = intent;
    // Each archive either brings the image or is not named a second time.
    while (now != null && now.fetch().archive().isPresent()) {
      ImageName image = now.spec().image();
      Tarballs.Tarball archive = now.fetch().archive().get();
      progress.accept(
          wording.fetching(now.decision(), "loading " + image + " out of " + archive.path()));
      images.load(image, archive);
      now = lookout.look().intent();
    }
    if (now != null && now.fetch().pull()) {
      ImageName image = now.spec().image();
      Decision decision = now.decision();
      images.pull(
          image,
          text -> progress.accept(wording.fetching(decision, "pulling " + image + ": " + text)));
      now = lookout.look().intent();
    }
    return now;
  }

  /** A start that was refused is an end like others; what else went wrong is told as it is. */
  private Finding broken(EngineException e) throws InterruptedException {
    if (history.restarts.lastError().filter(e.reason::equals).isEmpty()
        && history.trial.failed().isEmpty()) {
      return Trouble.of(e);
    }
    try {
      return lookout.look().now();
    } catch (EngineException later) {
      return Trouble.of(later);
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
          Steps.toRemove(ours, off.summary()),
          _ -> {
            try {
              removal.of(ours);
              return off;
            } catch (EngineException e) {
              return Trouble.of(e);
            }
          });
    } catch (EngineException e) {
      return Plan.nothingToDo(
          off.withNotes(List.of("a container of it may still run: " + e.getMessage())));
    }
  }
}
