package org.tpubootd.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a command that prints a table prints it. */
final class OutputOptions {

  @Option(names = "--json", description = "Print JSON, for machines.")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  boolean json() {
    return json;
  }

  Screen screen() {
    return new Screen(command().commandLine().getOut(), Screen.colours());
  }

  /** Says on standard error what went wrong. */
  void error(String message) {
    command().commandLine().getErr().println("tpu-bootd: " + message);
  }

  private CommandSpec command() {
    if (command == null) {
      throw new IllegalStateException("picocli sets the command before it is called");
    }
    return command;
  }
}
