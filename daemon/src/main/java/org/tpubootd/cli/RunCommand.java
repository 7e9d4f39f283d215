package org.tpubootd.cli;

import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.Daemon;
import org.tpubootd.LogSetup;
import org.tpubootd.Version;
import org.tpubootd.config.Config;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.ConfigLoader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The daemon itself. */
@Command(
    name = "run",
    description = {
      "Run as a daemon until told to end.",
      "SIGHUP reloads the configuration.",
      "SIGTERM and SIGINT stop the containers and end.",
      "SIGUSR1 ends and leaves the containers running."
    })
final class RunCommand implements Callable<Integer> {

  private static final Logger log = LoggerFactory.getLogger(RunCommand.class);

  @Mixin private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws ConfigException, InterruptedException {
    var loader = common.configLoader();
    // Heard from the first moment on: a stop during the start is not lost.
    var orders = Orders.fromSignals();
    Config config = loader.load().config();
    LogSetup.level(config.log());
    log.info("tpu-bootd {} starts", Version.current());
    var daemon = new Daemon(common.surroundings(), config);
    daemon.start();
    while (true) {
      switch (orders.next()) {
        case RELOAD -> reload(daemon, loader);
        case STOP -> {
          daemon.stop(Daemon.Containers.STOP);
          return ExitCode.OK;
        }
        case LEAVE -> {
          daemon.stop(Daemon.Containers.LEAVE);
          return ExitCode.OK;
        }
      }
    }
  }

  private static void reload(Daemon daemon, ConfigLoader loader) throws InterruptedException {
    try {
      Config config = loader.load().config();
      LogSetup.level(config.log());
      daemon.reload(config);
      log.info("the configuration is read anew");
    } catch (ConfigException e) {
      log.error("the configuration is not taken, the old one stays: {}", e.getMessage());
      daemon.reloadRefused(String.valueOf(e.getMessage()));
    }
  }
}
