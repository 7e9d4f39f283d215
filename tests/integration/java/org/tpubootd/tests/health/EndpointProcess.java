package org.tpubootd.tests.health;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs {@link EndpointProgram} with JVM options of a test's own. */
final class EndpointProcess implements AutoCloseable {

  private final Process process;
  private final int port;

  EndpointProcess(String... options) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), EndpointProgram.class.getName()));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    // The log goes to standard output, too, where no configuration of it is on the class path.
    while (line != null && !line.matches("[0-9]+")) {
      line = out.readLine();
    }
    if (line == null) {
      throw new IOException("the endpoint ended before it said its port");
    }
    port = Integer.parseInt(line);
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
