package org.tpubootd;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** The program's version, which the build writes into a resource. */
public final class Version {

  private Version() {}

  /** As in the package's name: {@code 0.1.0}. */
  public static String current() {
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      var properties = new Properties();
      properties.load(Objects.requireNonNull(in, "version.properties is not in the jar"));
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
