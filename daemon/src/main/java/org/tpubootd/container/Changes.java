package org.tpubootd.container;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.ContainersConfig;

/** Carries out a decision, call by call. Images are there by then. */
final class Changes {

  private static final Logger log = LoggerFactory.getLogger(Changes.class);

  /**
   * The one that is to be started.
   *
   * @param found empty where it was made just now
   */
  private record Successor(String id, String name, Optional<Observed> found) {

    static Successor found(Observed container) {
      return new Successor(container.id(), container.name(), Optional.of(container));
    }
  }

  private final String part;
  private final Engine engine;
  private final ContainersConfig limits;
  private final Restarts restarts;
  private final Trial trial;
  private final Removal removal;

  /**
   * @param part its name, for the log
   */
  Changes(String part, Engine engine, ContainersConfig limits, History history) {
    this.part = part;
    this.engine = engine;
    this.limits = limits;
    this.restarts = history.restarts;
    this.trial = history.trial;
    this.removal = new Removal(engine, limits, part);
  }

  /**
   * @throws EngineException where a call did not succeed; a start that the engine did not make is
   *     remembered as a failed one
   */
  void carryOut(ContainerSpec spec, Decision decision)
      throws EngineException, InterruptedException {
    Optional<Observed> before = predecessor(decision);
    removal.of(decision.others().stream().filter(one -> !before.equals(Optional.of(one))).toList());
    switch (decision) {
      case Decision.Keep(Observed good, List<Observed> _) -> giveName(spec, good.id(), good.name());
      case Decision.Start(Observed stopped, List<Observed> _) -> startAgain(spec, stopped, before);
      case Decision.OnTrial(Observed next, Observed _, List<Observed> _) ->
          succeed(spec, Successor.found(next), before);
      case Decision.Make _ -> succeed(spec, make(spec, freeName(spec, before)), before);
      case Decision.Replace(Observed old, Optional<Observed> prepared, List<Observed> _) ->
          replace(spec, old, prepared);
      case Decision.Restore(Observed failed, Observed old, List<Observed> _) -> {
        log.warn(
            "{}: starting {} again, since the new one has ended on its trial", part, old.name());
        start(old.id(), old.name());
        engine.remove(failed);
      }
      case Decision.Wait _ -> {}
    }
  }

  /** The new one is made first: what cannot be made costs no container that runs. */
  private void replace(ContainerSpec spec, Observed old, Optional<Observed> prepared)
      throws EngineException, InterruptedException {
    Successor next;
    if (prepared.isPresent()) {
      next = Successor.found(prepared.get());
    } else {
      giveName(spec, old.id(), old.name());
      next = make(spec, spec.nextName());
    }
    log.info("{}: stopping {}: its specification has changed", part, old.name());
    engine.stop(old.id(), limits.stopTimeout());
    succeed(spec, next, Optional.of(old));
  }

  /**
   * An engine that was killed in the middle of a start may refuse that container for ever: "task
   * ... already exists". So one that is refused twice in a row gives way to one that is made anew.
   */
  private void startAgain(ContainerSpec spec, Observed stopped, Optional<Observed> before)
      throws EngineException, InterruptedException {
    boolean refusedBefore = restarts.lastError().isPresent();
    try {
      succeed(spec, Successor.found(stopped), before);
    } catch (EngineException.Refused e) {
      if (refusedBefore && before.isEmpty()) {
        givesWay(spec, stopped);
      }
      throw e;
    }
  }

  /** The one that ran last: it stays until its successor runs, and runs again where that fails. */
  private static Optional<Observed> predecessor(Decision decision) {
    return switch (decision) {
      case Decision.Keep _, Decision.Wait _, Decision.Restore _ -> Optional.empty();
      case Decision.Replace replace -> Optional.of(replace.old());
      case Decision.OnTrial onTrial -> Optional.of(onTrial.old());
      case Decision.Start _, Decision.Make _ ->
          decision.others().stream()
              .filter(one -> one.canBeStarted() && one.hasRun())
              .max(
                  // One that ended on its trial has not proved itself, however late it ran.
                  Comparator.comparing(Observed::isNext, Comparator.reverseOrder())
                      .thenComparing(Observed::startedAt));
    };
  }

  private static String freeName(ContainerSpec spec, Optional<Observed> before) {
    boolean taken = before.map(Observed::name).filter(spec.name()::equals).isPresent();
    return taken ? spec.nextName() : spec.name();
  }

  /**
   * A missing network, for one, shows only at the start, when the old one is stopped already: then
   * the old one is started again, whatever the engine said. That speaks against the new one only if
   * the same engine then takes the old one: one that is being shut down refuses any. A new one that
   * runs under its second name is on trial from now on, and the old one stays.
   */
  private void succeed(ContainerSpec spec, Successor next, Optional<Observed> before)
      throws EngineException, InterruptedException {
    int losses = engine.losses();
    String id = next.id();
    String name = next.name();
    try {
      start(id, name);
    } catch (EngineException e) {
      if (before.isPresent()) {
        comeBack(before.get(), e);
        boolean wasThere = !(e instanceof EngineException.Unreachable) && engine.losses() == losses;
        if (wasThere && !before.get().hasSpec(spec.hash()) && !isExcused(spec, next, e)) {
          trial.failed(
              spec.hash(), before.get().spec(), "the engine could not start it: " + e.reason);
        }
      }
      throw e;
    }
    boolean onTrial =
        before.filter(one -> !one.hasSpec(spec.hash())).isPresent() && name.equals(spec.nextName());
    if (onTrial) {
      return;
    }
    if (before.isPresent()) {
      engine.remove(before.get());
    }
    giveName(spec, id, name);
  }

  /**
   * One that was not made just now may carry what a start left that was cut off, and be refused for
   * that. It gives way to one that is made anew, and that one is judged.
   */
  private boolean isExcused(ContainerSpec spec, Successor next, EngineException why)
      throws InterruptedException {
    return why instanceof EngineException.Refused
        && next.found().isPresent()
        && givesWay(spec, next.found().get());
  }

  /**
   * Whether it is removed, so that another one is made: not where its image is gone, nor where it
   * is of another specification, such as the one that came back, since none like it can be made.
   */
  private boolean givesWay(ContainerSpec spec, Observed refused) throws InterruptedException {
    try {
      if (!refused.hasSpec(spec.hash()) || engine.images().id(spec.image()).isEmpty()) {
        return false;
      }
      log.warn("{}: the engine refuses to start {}: another is made", part, refused.name());
      removal.of(List.of(refused));
      return true;
    } catch (EngineException e) {
      log.warn("{}: {} stays for now: {}", part, refused.name(), e.getMessage());
      return false;
    }
  }

  private void comeBack(Observed old, EngineException why)
      throws EngineException, InterruptedException {
    log.warn(
        "{}: starting {} again, since the new one cannot be started: {}",
        part,
        old.name(),
        why.getMessage());
    engine.start(old.id(), old.name());
  }

  private void giveName(ContainerSpec spec, String id, String name)
      throws EngineException, InterruptedException {
    if (name.equals(spec.nextName())) {
      engine.rename(id, spec.name());
    }
  }

  private Successor make(ContainerSpec spec, String name)
      throws EngineException, InterruptedException {
    try {
      return new Successor(engine.create(spec, name), name, Optional.empty());
    } catch (EngineException.Refused e) {
      restarts.failedToStart(e.reason);
      throw e;
    }
  }

  private void start(String id, String name) throws EngineException, InterruptedException {
    try {
      engine.start(id, name);
      restarts.started(id);
      log.info("{}: started {}", part, name);
    } catch (EngineException.Refused | EngineException.NotFound | EngineException.Conflict e) {
      // "Not found" is what a network is that the container asks for, and a device, and a path.
      restarts.failedToStart(e.reason);
      throw e;
    }
  }
}
