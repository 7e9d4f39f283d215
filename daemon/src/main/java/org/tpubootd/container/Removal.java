package org.tpubootd.container;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.ContainersConfig;

/**
 * Stops and removes containers of ours.
 *
 * @param part whose work it is, for the log
 */
record Removal(Engine engine, ContainersConfig limits, String part) {

  private static final Logger log = LoggerFactory.getLogger(Removal.class);

  void of(List<Observed> containers) throws EngineException, InterruptedException {
    for (Observed container : containers) {
      if (container.alive()) {
        engine.stop(container.id(), limits.stopTimeout());
      }
      engine.remove(container);
      log.info("{}: removed {} ({})", part, container.name(), container.shortId());
    }
  }
}
