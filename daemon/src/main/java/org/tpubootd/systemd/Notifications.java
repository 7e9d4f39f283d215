package org.tpubootd.systemd;

import java.io.IOException;

/** Takes messages for the service manager. */
@FunctionalInterface
interface Notifications {

  /**
   * Sends one message, such as {@code READY=1} and {@code STATUS=…} on a line each.
   *
   * @throws IOException where it could not be handed over; the message says what came back
   */
  void send(String message) throws IOException, InterruptedException;
}
