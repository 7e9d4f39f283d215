package org.tpubootd.core;

import java.io.IOException;
import java.time.Duration;

/**
 * Owns one part of the host and keeps it right. All calls for one component come from one thread at
 * a time. A component keeps no clock of its own: its {@link ControlLoop} decides when it looks.
 */
public interface Component {

  Part part();

  /**
   * Looks at the world and changes nothing. Every outside call in here has a deadline.
   *
   * @throws IOException where the look itself failed; the message is a sentence for a person
   */
  Plan plan() throws IOException, InterruptedException;

  /** How long after a pass that left the part ok (or inert) the next one is made unasked. */
  default Duration interval() {
    return Duration.ofSeconds(30);
  }

  /**
   * How long one pass may take with all its deadlines run out. A pass that takes longer is stuck,
   * and the systemd watchdog is no longer fed.
   */
  default Duration longestPass() {
    return Duration.ofMinutes(2);
  }

  /** Gives back what the component holds, such as a port. What it has made on the host stays. */
  default void close() {}
}
