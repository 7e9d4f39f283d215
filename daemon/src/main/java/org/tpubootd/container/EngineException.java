package org.tpubootd.container;

import java.io.IOException;

/**
 * A call to the engine that did not do what it was asked. The message says what was tried, on which
 * engine, and what came back.
 */
abstract sealed class EngineException extends IOException {

  private static final long serialVersionUID = 1;

  /** What the engine itself said, without what was tried; the message where it said nothing. */
  final String reason;

  private EngineException(String message, String reason) {
    super(message);
    this.reason = reason;
  }

  /** Whether the engine is away for now: nothing is known to be wrong with what was asked. */
  boolean engineIsAway() {
    return this instanceof Unreachable || this instanceof Hung;
  }

  /** No socket, nobody behind it, or the connection broke: not started yet, or being restarted. */
  static final class Unreachable extends EngineException {
    private static final long serialVersionUID = 1;

    Unreachable(String message) {
      super(message, message);
    }
  }

  /** The engine took the call and did not answer in time. */
  static final class Hung extends EngineException {
    private static final long serialVersionUID = 1;

    Hung(String message, String reason) {
      super(message, reason);
    }
  }

  /** What the call was about is not there. */
  static final class NotFound extends EngineException {
    private static final long serialVersionUID = 1;

    NotFound(String message, String reason) {
      super(message, reason);
    }
  }

  /** Something else has the name, or is being done to the container at this moment. */
  static final class Conflict extends EngineException {
    private static final long serialVersionUID = 1;

    Conflict(String message, String reason) {
      super(message, reason);
    }
  }

  /** The engine said no for another reason. */
  static final class Refused extends EngineException {
    private static final long serialVersionUID = 1;

    Refused(String message, String reason) {
      super(message, reason);
    }
  }

  /** The address is of a kind that tpu-bootd does not talk to. */
  static final class Unsupported extends EngineException {
    private static final long serialVersionUID = 1;

    Unsupported(String message) {
      super(message, message);
    }
  }

  /** Something broke that nobody has thought of, most likely in the library. */
  static final class Unexpected extends EngineException {
    private static final long serialVersionUID = 1;

    Unexpected(String message, Throwable cause) {
      super(message, message);
      initCause(cause);
    }
  }
}
