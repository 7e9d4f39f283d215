package org.tpubootd.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.tpubootd.ContainersOnce;
import org.tpubootd.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What is done to the containers as a whole. */
@Command(
    name = "containers",
    description = "Remove the containers of tpu-bootd.",
    subcommands = ContainersCommand.Remove.class)
final class ContainersCommand {

  /** The removal of the package calls it, while the program is still there. */
  @Command(
      name = "remove",
      description = {
        "Stop and remove all containers of tpu-bootd; their images stay.",
        "A daemon that runs makes them anew: stop it first."
      })
  static final class Remove implements Callable<Integer> {

    @Mixin private CommonOptions common = new CommonOptions();
    @Mixin private MessageOutput messages = new MessageOutput();

    @Override
    public Integer call() throws ConfigException, IOException, InterruptedException {
      var config = common.configOrDefaults();
      try (var containers = new ContainersOnce(common.surroundings(), config)) {
        List<String> problems = containers.removeAll(name -> messages.line(name + ": removed"));
        problems.forEach(messages::error);
        return problems.isEmpty() ? ExitCode.OK : ExitCode.NOT_SO;
      }
    }
  }
}
