package org.tpubootd.cli;

/** Exit codes: a contract with scripts, told in README.md and by {@code --help}. */
final class ExitCode {

  /** All is as asked. */
  static final int OK = 0;

  /** Not ready, not found or not done: the output says what. */
  static final int NOT_SO = 1;

  /** The command line or the configuration is wrong. */
  static final int WRONG_INPUT = 2;

  /** The daemon does not answer. */
  static final int NO_DAEMON = 3;

  private ExitCode() {}
}
