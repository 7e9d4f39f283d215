package org.tpubootd.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Takes symbolic links out of a directory of JUnit's, which warns of each that leads outside. */
public final class Links {

  private Links() {}

  public static void removeBelow(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path link : files.filter(Files::isSymbolicLink).toList()) {
        Files.delete(link);
      }
    }
  }
}
