package org.tpubootd.tests.env;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs programs of the machine and takes what they print. */
final class Programs {

  private Programs() {}

  /** What a program printed, and how it ended. */
  record Run(int exitCode, String output, String errors) {}

  /** Runs a program with nothing in its environment but a PATH, in the directory given. */
  static Run run(Path directory, List<String> command) throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    Path errors = directory.resolve("errors-of-" + Path.of(command.getFirst()).getFileName());
    builder.redirectError(errors.toFile());
    var process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output, Files.readString(errors));
  }

  /** What {@code env -0} printed. */
  static Map<String, String> environment(String printed) {
    var environment = new LinkedHashMap<String, String>();
    for (String entry : printed.split("\0")) {
      int equals = entry.indexOf('=');
      environment.put(entry.substring(0, equals), entry.substring(equals + 1));
    }
    return environment;
  }
}
