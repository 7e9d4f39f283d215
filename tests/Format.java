// SPDX-License-Identifier: Apache-2.0

import com.google.googlejavaformat.java.Main;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks or writes the format of every Java file of one module: {@code check|write DIR}. */
class Format {
  public static void main(String[] args) throws Exception {
    var command =
        switch (args[0]) {
          case "check" -> List.of("--dry-run", "--set-exit-if-changed");
          case "write" -> List.of("--replace");
          default -> throw new IllegalArgumentException("-Dformat is check or write: " + args[0]);
        };
    var arguments = new ArrayList<>(command);
    try (var files = Files.walk(Path.of(args[1]))) {
      files
          .filter(
              file -> file.toString().endsWith(".java") && !file.toString().contains("/target/"))
          .sorted()
          .forEach(file -> arguments.add(file.toString()));
    }
    if (arguments.size() == command.size()) {
      return;
    }
    var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int code = new Main(out, err, System.in).format(arguments.toArray(String[]::new));
    if (code != 0) {
      err.println("These files are not formatted; mvn compile -Dformat=write formats them.");
    }
    System.exit(code);
  }
}
