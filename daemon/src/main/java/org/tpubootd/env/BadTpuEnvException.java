package org.tpubootd.env;

/** The attribute's text is not tpu-env. The message says what it is instead, and in which line. */
public final class BadTpuEnvException extends Exception {
  private static final long serialVersionUID = 1;

  private final int line;

  BadTpuEnvException(int line, String problem) {
    super("line " + line + ": " + problem);
    this.line = line;
  }

  /** Counted from 1. */
  public int line() {
    return line;
  }
}
