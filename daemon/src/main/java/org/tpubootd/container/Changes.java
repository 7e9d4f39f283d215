package org.tpubootd.container;

import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.ContainersConfig;

/** Carries out a decision, call by call. Images are there by then. */
final class Changes {

  private static final Logger log = LoggerFactory.getLogger(Changes.class);

  private final Engine engine;
  private final ContainersConfig limits;
  private final Restarts restarts;
  private final Trial trial;
  private final Removal removal;

  Changes(Engine engine, ContainersConfig limits, History history) {
    this.engine = engine;
    this.limits = limits;
    this.restarts = history.restarts;
    this.trial = history.trial;
    this.removal = new Removal(engine, limits);
  }

  /**
   * @throws EngineException where a call did not succeed; a start that the engine refused is
   *     remembered as a failed one
   */
  void carryOut(ContainerSpec spec, Decision decision)
      throws EngineException, InterruptedException {
    removal.of(decision.others());
    switch (decision) {
      case Decision.Keep(Observed good, List<Observed> _) -> giveName(spec, good.id(), good.name());
      case Decision.Start(Observed stopped, List<Observed> _) -> {
        start(stopped.id(), stopped.name());
        giveName(spec, stopped.id(), stopped.name());
      }
      case Decision.Make _ -> start(create(spec, spec.name()), spec.name());
      case Decision.Replace(Observed old, Optional<Observed> prepared, List<Observed> _) ->
          replace(spec, old, prepared);
      case Decision.Restore(Observed failed, Observed old, List<Observed> _) -> {
        log.warn("starting {} again, since the new one has ended on its trial", old.name());
        start(old.id(), old.name());
        engine.remove(failed);
      }
      case Decision.OnTrial(Observed next, Observed _, List<Observed> _) ->
          start(next.id(), next.name());
      case Decision.Wait _ -> {}
    }
  }

  /**
   * The new one is made before the old one is stopped: so a spec that the engine does not take
   * never costs a running container. The old one stays until the new one has stood its trial.
   */
  private void replace(ContainerSpec spec, Observed old, Optional<Observed> prepared)
      throws EngineException, InterruptedException {
    giveName(spec, old.id(), old.name());
    String next = prepared.isPresent() ? prepared.get().id() : create(spec, spec.nextName());
    log.info("stopping {}: its specification has changed", old.name());
    engine.stop(old.id(), limits.stopTimeout());
    try {
      start(next, spec.nextName());
    } catch (EngineException.Refused e) {
      log.warn("starting {} again, since the new one cannot be started", old.name());
      trial.failed(spec.hash(), old.spec(), "the engine could not start it: " + e.reason);
      start(old.id(), old.name());
      throw e;
    }
  }

  /** Only a name of ours is changed: if a person has renamed it, that is the person's. */
  private void giveName(ContainerSpec spec, String id, String name)
      throws EngineException, InterruptedException {
    if (name.equals(spec.nextName())) {
      engine.rename(id, spec.name());
    }
  }

  private String create(ContainerSpec spec, String name)
      throws EngineException, InterruptedException {
    try {
      return engine.create(spec, name);
    } catch (EngineException.Refused e) {
      restarts.failedToStart(e.reason);
      throw e;
    }
  }

  private void start(String id, String name) throws EngineException, InterruptedException {
    try {
      engine.start(id, name);
      restarts.started(id);
      log.info("started {}", name);
    } catch (EngineException.Refused e) {
      restarts.failedToStart(e.reason);
      throw e;
    }
  }
}
