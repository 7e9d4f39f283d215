package org.tpubootd.cli;

import org.jspecify.annotations.Nullable;
import org.tpubootd.container.ImageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** How a command tells what it does, line by line. */
@Command // a mixin without options has to be one
final class MessageOutput {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  void line(String text) {
    command().commandLine().getOut().println(text);
  }

  /** Says on standard error what went wrong. */
  void error(String message) {
    command().commandLine().getErr().println("tpu-bootd: " + message);
  }

  /** The same, and what a person can do. */
  void error(ImageException e) {
    error(e.getMessage() + ". Do: " + e.action() + ".");
  }

  ProgressLine progress() {
    return new ProgressLine(command().commandLine().getOut(), Screen.terminal());
  }

  private CommandSpec command() {
    if (command == null) {
      throw new IllegalStateException("picocli sets the command before it is called");
    }
    return command;
  }
}
