package org.tpubootd.container;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.ContainersConfig;

/**
 * Stops all containers of ours, for {@code systemctl stop}. They stay on the engine, with their
 * logs, and the next start of tpu-bootd starts them again.
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
   * Stops them side by side. Takes no longer than the stop timeout and two deadlines of a call. The
   * loops of the containers must have ended before, or they start them again.
   *
   * @return what could not be done, a sentence each; nothing where there is no engine
   */
  public List<String> stopAll() throws InterruptedException {
    List<String> running;
    try {
      running = engine.running();
    } catch (EngineException.Unreachable e) {
      log.info("no container is stopped: {}", e.getMessage());
      return List.of();
    } catch (EngineException e) {
      return List.of(String.valueOf(e.getMessage()));
    }
    var problems = new ArrayList<String>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> stops = running.stream().map(this::stop).toList();
      for (Future<String> stop : threads.invokeAll(stops)) {
        if (stop.state() == Future.State.SUCCESS) {
          log.info("stopped the container {}", stop.resultNow());
        } else {
          problems.add(String.valueOf(stop.exceptionNow().getMessage()));
        }
      }
    }
    return problems;
  }

  private Callable<String> stop(String id) {
    return () -> {
      engine.stop(id, config.stopTimeout());
      return id;
    };
  }
}
