package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;
import org.tpubootd.core.State;
import org.tpubootd.core.Step;
import org.tpubootd.core.Time;

/**
 * Keeps one container running. A running one of the right spec is never touched, whoever started it
 * and when: so a restart or an upgrade of tpu-bootd does not reach the container.
 */
public final class SupervisedContainer implements Component {

  private static final Logger log = LoggerFactory.getLogger(SupervisedContainer.class);

  /** The safety net under {@link EngineEvents}, which bring most news within milliseconds. */
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  private static final int LOG_LINES = 50;

  /** What a pass means to do. */
  private record Intent(ContainerSpec spec, Decision decision, boolean pull) {}

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
  private final Pull puller;
  private final Gate gate;
  private final HostRoot root;
  private final Time time;
  private final Restarts restarts;
  private final Changes changes;
  private final Wording wording;
  private final Backoff pullBackoff;
  private boolean pullTried;
  private @Nullable PullFailure pullFailure;
  private long pullDue;
  private List<String> lastLog = List.of();
  private volatile Duration wake = INTERVAL;

  /**
   * @param root for the file that is mounted into the container
   */
  public SupervisedContainer(
      ContainerConfig config,
      ContainersConfig limits,
      Engine engine,
      RegistryLogin login,
      Gate gate,
      HostRoot root,
      Time time,
      RandomGenerator random) {
    this.config = config;
    this.limits = limits;
    this.engine = engine;
    this.puller = new Pull(engine, limits, login, time);
    this.gate = gate;
    this.root = root;
    this.time = time;
    this.restarts = new Restarts(limits, time, random);
    this.changes = new Changes(part().name(), engine, limits, restarts);
    this.wording = new Wording(config, restarts);
    this.pullBackoff = new Backoff(Duration.ofSeconds(2), Duration.ofMinutes(1), random);
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
    return limits
        .pullDeadline()
        .plus(limits.stopTimeout())
        .plus(limits.callDeadline().multipliedBy(calls));
  }

  @Override
  public Plan plan() throws InterruptedException {
    if (!config.enabled()) {
      return planSwitchedOff();
    }
    try {
      Look seen = look();
      Intent intent = seen.intent();
      return intent == null
          ? Plan.nothingToDo(seen.now())
          : new Plan(seen.now(), seen.steps(), progress -> carryOut(intent, progress));
    } catch (EngineException e) {
      return Plan.nothingToDo(wording.trouble(e));
    }
  }

  private Look look() throws EngineException, InterruptedException {
    wake = INTERVAL;
    Holdings holdings = engine.holdings(config.name());
    if (!holdings.foreigners().isEmpty() && !holdings.runs()) {
      return Look.only(wording.foreign(holdings.foreigners().getFirst()));
    }
    ContainerSpec spec;
    try {
      spec = ContainerSpec.of(config, root);
    } catch (ContainerSpec.Impossible e) {
      return Look.only(wording.impossible(e, holdings.runs()));
    }
    for (Observed container : holdings.ours()) {
      rememberEnd(container);
    }
    return look(spec, holdings);
  }

  private Look look(ContainerSpec spec, Holdings holdings)
      throws EngineException, InterruptedException {
    String hash = spec.hash();
    Decision decision = Decision.about(holdings.ours(), hash, Optional.empty());
    boolean imageThere = true;
    if (decision instanceof Decision.Keep keep) {
      restarts.running(keep.good());
    } else {
      Optional<String> imageId = engine.imageId(spec.image());
      imageThere = imageId.isPresent();
      decision = Decision.about(holdings.ours(), hash, imageId);
    }
    if (imageThere && config.pull() != ContainersConfig.Pull.ALWAYS) {
      pullFailure = null;
    }
    Finding now =
        wording
            .now(decision, spec, imageThere, lastLog)
            .withNotes(wording.notes(decision, holdings, pullFailure));
    // A foreign one has a name that any change needs.
    if (decision instanceof Decision.Wait || !holdings.foreigners().isEmpty()) {
      return Look.only(now);
    }
    if (decision instanceof Decision.Keep keep) {
      boolean inOrder = keep.others().isEmpty() && !keep.good().name().equals(spec.nextName());
      return inOrder ? Look.only(now) : intend(now, spec, decision, false);
    }
    return lookBeforeStart(now, spec, decision, imageThere);
  }

  /** What may stand between a container and its start. */
  private Look lookBeforeStart(
      Finding now, ContainerSpec spec, Decision decision, boolean imageThere) {
    boolean runs = decision instanceof Decision.Replace;
    boolean pull = needsPull(decision, imageThere);
    Optional<Finding> held = gate.heldBack();
    // An image is pulled while others are still at work, but not where nothing is ours to do.
    if (held.isPresent() && !(pull && held.get().state() == State.WAITING)) {
      return Look.only(runs ? now : held.get());
    }
    if (runs && changes.givenUp(spec.hash())) {
      return Look.only(wording.givenUp(now));
    }
    if (isLater(restarts.untilDue())) {
      return Look.only(now);
    }
    if (!imageThere && !(decision instanceof Decision.Start)) {
      if (config.pull() == ContainersConfig.Pull.NEVER) {
        return Look.only(wording.neverPulled(spec, runs));
      }
      if (pullFailure != null && isLater(Duration.ofNanos(pullDue - time.nanos()))) {
        return Look.only(wording.notPulled(pullFailure, runs));
      }
    }
    return held.isPresent()
        ? new Look(held.get(), List.of(wording.stepToPull(spec)), new Intent(spec, decision, pull))
        : intend(now, spec, decision, pull);
  }

  private Look intend(Finding now, ContainerSpec spec, Decision decision, boolean pull) {
    return new Look(now, wording.steps(decision, spec, pull), new Intent(spec, decision, pull));
  }

  /** Whether it is too early; the next pass is then made in time. */
  private boolean isLater(Duration untilDue) {
    if (!untilDue.isPositive()) {
      return false;
    }
    wake = untilDue.compareTo(INTERVAL) < 0 ? untilDue : INTERVAL;
    return true;
  }

  /**
   * With "always", one pull in the life of this component: at its first start of the container. A
   * container that crashes is not made to wait for a registry each time.
   */
  private boolean needsPull(Decision decision, boolean imageThere) {
    boolean always = config.pull() == ContainersConfig.Pull.ALWAYS && !pullTried;
    return decision instanceof Decision.Start
        ? always
        : config.pull() != ContainersConfig.Pull.NEVER && (always || !imageThere);
  }

  private void rememberEnd(Observed container) throws InterruptedException {
    if (container.status() != Observed.Status.EXITED || !restarts.ended(container)) {
      return;
    }
    try {
      lastLog = engine.lastLog(container.id(), LOG_LINES);
    } catch (EngineException e) {
      lastLog = List.of();
      log.warn("{}: the last log lines could not be had: {}", part().name(), e.getMessage());
    }
  }

  private Finding carryOut(Intent intent, Consumer<Finding> progress) throws InterruptedException {
    try {
      Intent now = intent;
      if (intent.pull()) {
        pull(intent, progress);
        // A pull may have taken minutes: what was seen before it is old by now.
        now = look().intent();
      }
      if (now != null && !now.pull()) {
        changes.carryOut(now.spec(), now.decision());
      }
      return look().now();
    } catch (EngineException e) {
      return broken(e);
    }
  }

  /** A start that was refused is an end like others; what else went wrong is told as it is. */
  private Finding broken(EngineException e) throws InterruptedException {
    if (restarts.lastError().filter(e.reason::equals).isEmpty()) {
      return wording.trouble(e);
    }
    try {
      return look().now();
    } catch (EngineException later) {
      return wording.trouble(later);
    }
  }

  private void pull(Intent intent, Consumer<Finding> progress)
      throws EngineException, InterruptedException {
    pullTried = true;
    ImageName image = intent.spec().image();
    // While a registry is away this is tried for ever: told once, and when it is over.
    log.atLevel(pullFailure == null ? Level.INFO : Level.DEBUG)
        .log("{}: pulling {}", part().name(), image);
    try {
      puller.pull(image, text -> progress.accept(wording.pulling(intent.decision(), image, text)));
      log.info("{}: pulled {}", part().name(), image);
      pullFailure = null;
      pullBackoff.reset();
    } catch (PullFailure e) {
      pullFailure = e;
      pullDue = time.nanos() + pullBackoff.next().toNanos();
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
              changes.removeAll(ours);
              return off;
            } catch (EngineException e) {
              return wording.trouble(e);
            }
          });
    } catch (EngineException e) {
      return Plan.nothingToDo(
          off.withNotes(List.of("a container of it may still run: " + e.getMessage())));
    }
  }
}
