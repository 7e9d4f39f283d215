package org.tpubootd;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.tpubootd.config.Config;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.container.Engine;

/** The containers of tpu-bootd for one command. */
public final class ContainersOnce implements AutoCloseable {

  private final Engine engine;
  private final ContainerStop stop;

  public ContainersOnce(Surroundings host, Config config) {
    engine = Daemon.engine(host, config);
    stop = new ContainerStop(engine, config.containers());
  }

  /**
   * Stops and removes them all.
   *
   * @param removed takes the name of each one that is gone
   * @return what could not be done, a sentence each
   */
  public List<String> removeAll(Consumer<String> removed) throws InterruptedException {
    return stop.removeAll(removed);
  }

  @Override
  public void close() throws IOException {
    engine.close();
  }
}
