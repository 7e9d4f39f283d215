package org.tpubootd.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What tests on real parts have measured, for the table in tests/README.md. Nothing is asserted of
 * it, since machines differ. It is printed, and gathered in tests/target/measured.txt.
 */
public final class Measured {

  private Measured() {}

  public static void tell(String what, Object figure) {
    String line = what + ": " + figure + "\n";
    System.out.print("measured: " + line);
    Path file = Path.of(System.getProperty("tpubootd.project"), "tests/target/measured.txt");
    try {
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new IllegalStateException(file + " cannot be written", e);
    }
  }
}
