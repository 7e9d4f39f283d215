package org.tpubootd.env;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The captures of tpu-env among the test resources. */
final class Samples {

  private Samples() {}

  static String read(String name) {
    try (var in = Samples.class.getResourceAsStream("samples/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> names() throws IOException, URISyntaxException {
    Path folder = Path.of(Objects.requireNonNull(Samples.class.getResource("samples")).toURI());
    try (var listing = Files.list(folder)) {
      return listing.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
