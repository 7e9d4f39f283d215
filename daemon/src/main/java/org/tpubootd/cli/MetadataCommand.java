package org.tpubootd.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tpubootd.MetadataSource;
import org.tpubootd.config.ConfigException;
import org.tpubootd.metadata.MetadataGet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Asks the metadata server, as the page's script get-vm-metadata.py was meant to. */
@Command(
    name = "metadata",
    description = "Ask the metadata server.",
    subcommands = MetadataCommand.Get.class)
final class MetadataCommand {

  @Command(
      name = "get",
      description = {
        "Print the value of instance/TYPE/KEY.",
        "If there is none, print DEFAULT; without a DEFAULT, end with exit code 1."
      })
  static final class Get implements Callable<Integer> {

    /** How long an absent server is asked again. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Mixin private CommonOptions common = new CommonOptions();

    @Parameters(index = "0", paramLabel = "KEY", description = "The key, such as tpu-env.")
    private String key = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "DEFAULT",
        description = "Printed where there is no such key; may be empty.")
    private @Nullable String fallback;

    @Parameters(
        index = "2",
        arity = "0..1",
        paramLabel = "TYPE",
        defaultValue = MetadataGet.DEFAULT_TYPE,
        description = "The directory below instance/ (default: ${DEFAULT-VALUE}).")
    private String type = MetadataGet.DEFAULT_TYPE;

    @Spec private @Nullable CommandSpec command;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
      var surroundings = common.surroundings();
      var config = common.configOrDefaults();
      var server = MetadataSource.server(surroundings, config.metadata());
      var result =
          new MetadataGet(server, PATIENCE, surroundings.time(), surroundings.random())
              .run(key, Optional.ofNullable(fallback), type);
      if (command == null) {
        throw new IllegalStateException("picocli sets the command before it is called");
      }
      PrintWriter out = command.commandLine().getOut();
      out.print(result.out());
      out.flush();
      PrintWriter err = command.commandLine().getErr();
      if (!result.err().isEmpty()) {
        err.print("tpu-bootd: " + result.err());
      }
      err.flush();
      return result.exitCode();
    }
  }
}
