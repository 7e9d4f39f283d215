package org.tpubootd;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.tpubootd.cli.TpuBootd;

/** The program. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    var out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
    var err = new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true);
    System.exit(TpuBootd.run(out, err, args));
  }
}
