package org.tpubootd.cli;

import java.io.PrintWriter;

/** One line of a terminal that is written over and over; where there is no terminal, nothing. */
final class ProgressLine implements AutoCloseable {

  /** The last column stays free: a terminal would begin a new line behind it. */
  private static final int WIDTH = Screen.COLUMNS - 1;

  private final PrintWriter out;
  private final boolean terminal;
  private int written;

  ProgressLine(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  void show(String text) {
    if (terminal) {
      // How far it is stands at the end, so the beginning gives way.
      String shown =
          text.length() <= WIDTH ? text : "..." + text.substring(text.length() - WIDTH + 3);
      out.print("\r" + shown + " ".repeat(Math.max(0, written - shown.length())));
      out.flush();
      written = shown.length();
    }
  }

  @Override
  public void close() {
    clear();
  }

  /** Takes it away. */
  void clear() {
    if (written > 0) {
      show("");
      out.print("\r");
      out.flush();
      written = 0;
    }
  }
}
