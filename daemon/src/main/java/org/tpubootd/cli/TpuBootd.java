package org.tpubootd.cli;

import java.io.PrintWriter;
import org.tpubootd.LogSetup;
import org.tpubootd.OneShot;
import org.tpubootd.Version;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.LogLevel;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The command line: the verbs, and what becomes of their errors. */
@Command(
    name = "tpu-bootd",
    description = "Makes a VM booted from a custom OS image a working Cloud TPU host.",
    mixinStandardHelpOptions = true,
    versionProvider = TpuBootd.VersionText.class,
    scope = CommandLine.ScopeType.INHERIT,
    usageHelpWidth = Screen.COLUMNS,
    usageHelpAutoWidth = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is as asked",
      "1:not ready, not found, not done or not right",
      "2:the command line or the configuration is wrong",
      "3:the daemon does not answer (status)"
    },
    subcommands = {
      RunCommand.class,
      ApplyCommand.class,
      PlanCommand.class,
      StatusCommand.class,
      CheckCommand.class,
      ImagesCommand.class,
      ContainersCommand.class,
      MetadataCommand.class,
      ConfigCommand.class
    })
public final class TpuBootd {

  private TpuBootd() {}

  /** What {@code --version} prints. */
  static final class VersionText implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"tpu-bootd " + Version.current()};
    }
  }

  /**
   * Runs one command.
   *
   * @return the exit code
   */
  public static int run(PrintWriter out, PrintWriter err, String... arguments) {
    LogSetup.level(LogLevel.WARN);
    return new CommandLine(new TpuBootd())
        .setOut(out)
        .setErr(err)
        .setExecutionExceptionHandler(TpuBootd::explain)
        .execute(arguments);
  }

  private static int explain(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    return switch (failure) {
      case ConfigException wrong -> {
        command.getErr().println("tpu-bootd: " + wrong.getMessage());
        yield ExitCode.WRONG_INPUT;
      }
      case OneShot.UnknownPartException unknown -> {
        command.getErr().println("tpu-bootd: " + unknown.getMessage());
        yield ExitCode.WRONG_INPUT;
      }
      // Nothing but a signal interrupts a command, and whoever has sent it knows.
      case InterruptedException _ -> ExitCode.NOT_SO;
      default -> {
        command.getErr().println("tpu-bootd: broke on a defect of its own; please report this:");
        failure.printStackTrace(command.getErr());
        yield ExitCode.NOT_SO;
      }
    };
  }
}
