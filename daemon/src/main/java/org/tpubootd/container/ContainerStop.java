package org.tpubootd.container;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.core.Deadline;

/**
 * Stops all containers of ours, for {@code systemctl stop}. They stay on the engine, with their
 * logs, and the next start of tpu-bootd starts them again; unless they are to be removed, too.
 */
public final class ContainerStop {

  private static final Logger log = LoggerFactory.getLogger(ContainerStop.class);

  private final Engine engine;
  private final ContainersConfig config;

  public ContainerStop(Engine engine, ContainersConfig config) {
    this.engine = engine;
    this.config = config;
  }

  /**
   * Stops them side by side. Takes no longer than the stop timeout and three deadlines of a call.
   * The loops of the containers must have ended before, or they start them again.
   *
   * @return what could not be done, a sentence each; nothing where there is no engine
   */
  public List<String> stopAll() throws InterruptedException {
    Duration limit = config.stopTimeout().plus(config.callDeadline().multipliedBy(3));
    try {
      return Deadline.call("the stop of the containers", limit, this::untilNoneRuns);
    } catch (EngineException.Unreachable e) {
      log.info("no container is stopped: {}", e.getMessage());
      return List.of();
    } catch (IOException e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Stops and removes all of ours, for the removal of the package. The daemon must have ended
   * before, or it makes them anew.
   *
   * @param removed takes the name of each one that is gone
   * @return what could not be done, a sentence each
   */
  public List<String> removeAll(Consumer<String> removed) throws InterruptedException {
    List<String> problems = stopAll();
    if (!problems.isEmpty()) {
      return problems;
    }
    try {
      for (Observed container : engine.ofOtherParts(Set.of())) {
        engine.remove(container);
        removed.accept(container.name());
      }
      return List.of();
    } catch (EngineException e) {
      // Also where there is no engine now: it may have containers of ours when it is back.
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * A loop that has ended may have left a start behind that the engine still carries out. So those
   * that do not run are stopped as well: the engine takes one call at a time for a container, and
   * answers this one when the start is over. It may have seen the stop first: so it is looked
   * again.
   */
  private List<String> untilNoneRuns() throws EngineException, InterruptedException {
    List<Engine.Listed> ours = engine.listOurs();
    List<String> problems = List.of();
    while (!ours.isEmpty() && problems.isEmpty()) {
      problems = stop(ours);
      ours = problems.isEmpty() ? running() : List.of();
    }
    return problems;
  }

  private List<Engine.Listed> running() throws EngineException, InterruptedException {
    return engine.listOurs().stream().filter(Engine.Listed::runs).toList();
  }

  private List<String> stop(List<Engine.Listed> ours) throws InterruptedException {
    var problems = new ArrayList<String>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> stops = ours.stream().map(this::stop).toList();
      List<Future<Boolean>> ends = threads.invokeAll(stops);
      for (int i = 0; i < ours.size(); i++) {
        String name = "container/" + ours.get(i).part();
        if (ends.get(i).state() != Future.State.SUCCESS) {
          problems.add(name + ": " + ends.get(i).exceptionNow().getMessage());
        } else if (ends.get(i).resultNow()) {
          log.info("{}: stopped", name);
        }
      }
    }
    return problems;
  }

  /** Tells whether it had run. */
  private Callable<Boolean> stop(Engine.Listed one) {
    return () -> {
      try {
        return engine.stop(one.id(), config.stopTimeout());
      } catch (EngineException.NotFound _) {
        return false;
      }
    };
  }
}
