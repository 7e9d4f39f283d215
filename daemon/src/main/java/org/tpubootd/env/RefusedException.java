package org.tpubootd.env;

import java.io.IOException;

/**
 * A place in the file system that is not to be trusted, or is not what it must be. The message is a
 * whole sentence.
 */
final class RefusedException extends IOException {
  private static final long serialVersionUID = 1;

  RefusedException(String message) {
    super(message);
  }
}
