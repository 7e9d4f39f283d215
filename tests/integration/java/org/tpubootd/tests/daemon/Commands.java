package org.tpubootd.tests.daemon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.tpubootd.testbed.MadeUpHost;

/** Runs the program's commands on a made-up host, each as a process of its own. */
final class Commands {

  private static final int ENDS_WITHIN_SECONDS = 60;

  private final MadeUpHost host;
  private final Path work;

  /**
   * @param work a folder for what the processes print
   */
  Commands(MadeUpHost host, Path work) {
    this.host = host;
    this.work = work;
  }

  /** What came of a command. */
  record Outcome(int exitCode, String out, String err) {}

  Outcome run(String... arguments) throws IOException, InterruptedException {
    return run(host.command(arguments));
  }

  /** The same of a command that {@link MadeUpHost#command} has made. */
  Outcome run(ProcessBuilder command) throws IOException, InterruptedException {
    return outcome(start(command));
  }

  /** Starts one that is to be watched. */
  Process start(ProcessBuilder command) throws IOException {
    return command
        .redirectOutput(work.resolve("out").toFile())
        .redirectError(work.resolve("err").toFile())
        .start();
  }

  /** Waits for the end of one that was started. */
  Outcome outcome(Process process) throws IOException, InterruptedException {
    if (!process.waitFor(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the command did not end: " + process.info().commandLine());
    }
    return new Outcome(process.exitValue(), read("out"), read("err"));
  }

  private String read(String name) throws IOException {
    return Files.readString(work.resolve(name), StandardCharsets.UTF_8);
  }
}
