package org.tpubootd.container;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.ContainersConfig;

/** Carries out a decision, call by call. Images are there by then. */
final class Changes {

  private static final Logger log = LoggerFactory.getLogger(Changes.class);

  private final String part;
  private final Engine engine;
  private final ContainersConfig limits;
  private final Restarts restarts;
  private @Nullable String failedSpec;
  private int failures;

  /**
   * @param part its name, for the log
   */
  Changes(String part, Engine engine, ContainersConfig limits, Restarts restarts) {
    this.part = part;
    this.engine = engine;
    this.limits = limits;
    this.restarts = restarts;
  }

  /**
   * @throws EngineException where a call did not succeed; a start that the engine did not make is
   *     remembered as a failed one
   */
  void carryOut(ContainerSpec spec, Decision decision)
      throws EngineException, InterruptedException {
    Optional<Observed> before = predecessor(decision);
    removeAll(decision.others().stream().filter(one -> !before.equals(Optional.of(one))).toList());
    switch (decision) {
      case Decision.Keep(Observed good, List<Observed> _) -> giveName(spec, good.id(), good.name());
      case Decision.Start(Observed stopped, List<Observed> _) ->
          succeed(spec, stopped.id(), stopped.name(), before);
      case Decision.Make _ -> {
        String name = freeName(spec, before);
        succeed(spec, create(spec, name), name, before);
      }
      case Decision.Replace(Observed old, Optional<Observed> prepared, List<Observed> _) -> {
        // Made before the old one is stopped: what cannot be made costs no container that runs.
        String name = prepared.map(Observed::name).orElse(freeName(spec, before));
        String next = prepared.isPresent() ? prepared.get().id() : create(spec, name);
        log.info("{}: stopping {}: its specification has changed", part, old.name());
        engine.stop(old.id(), limits.stopTimeout());
        succeed(spec, next, name, before);
      }
      case Decision.Wait _ -> {}
    }
  }

  /** The one that ran last: it stays until its successor runs, and runs again where that fails. */
  private static Optional<Observed> predecessor(Decision decision) {
    return switch (decision) {
      case Decision.Keep _, Decision.Wait _ -> Optional.empty();
      case Decision.Replace replace -> Optional.of(replace.old());
      case Decision.Start _, Decision.Make _ ->
          decision.others().stream()
              .filter(one -> one.canBeStarted() && one.hasRun())
              .max(Comparator.comparing(Observed::startedAt));
    };
  }

  private static String freeName(ContainerSpec spec, Optional<Observed> before) {
    boolean taken = before.map(Observed::name).filter(spec.name()::equals).isPresent();
    return taken ? spec.nextName() : spec.name();
  }

  /**
   * A missing network, for one, shows only at the start, when the old one is stopped already: then
   * the old one is started again, whatever the engine said.
   */
  private void succeed(ContainerSpec spec, String id, String name, Optional<Observed> before)
      throws EngineException, InterruptedException {
    try {
      start(id, name);
    } catch (EngineException e) {
      if (before.isPresent()) {
        String old = before.get().name();
        log.warn(
            "{}: starting {} again, since the new one cannot be started: {}",
            part,
            old,
            e.getMessage());
        if (!e.engineIsAway()) {
          rememberFailure(spec.hash());
        }
        engine.start(before.get().id(), old);
      }
      throw e;
    }
    if (before.isPresent()) {
      engine.remove(before.get());
    }
    giveName(spec, id, name);
  }

  private void rememberFailure(String specHash) {
    failures = specHash.equals(failedSpec) ? failures + 1 : 1;
    failedSpec = specHash;
  }

  /**
   * Whether this spec has failed in another one's place so often that it is not tried again: each
   * try stops a container that is good.
   */
  boolean givenUp(String specHash) {
    return specHash.equals(failedSpec) && failures >= Restarts.LOOP;
  }

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
      log.info("{}: started {}", part, name);
    } catch (EngineException.Refused | EngineException.NotFound | EngineException.Conflict e) {
      // "Not found" is what a network is that the container asks for, and a device, and a path.
      restarts.failedToStart(e.reason);
      throw e;
    }
  }

  /** Stops and removes containers of ours. */
  void removeAll(List<Observed> containers) throws EngineException, InterruptedException {
    for (Observed container : containers) {
      if (container.alive()) {
        engine.stop(container.id(), limits.stopTimeout());
      }
      engine.remove(container);
      log.info("{}: removed {} ({})", part, container.name(), container.shortId());
    }
  }
}
