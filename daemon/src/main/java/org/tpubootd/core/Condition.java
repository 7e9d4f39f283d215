package org.tpubootd.core;

import java.time.Instant;

/**
 * What the board shows of one part.
 *
 * @param since when the part came into its present state (wall clock, for people only)
 * @param attempts passes made since the part was last ok or inert; 0 while it is
 */
public record Condition(Part part, Finding finding, Instant since, int attempts) {

  public State state() {
    return finding.state();
  }

  /** Whether this part keeps the host from being ready. */
  public boolean holdsUpReady() {
    return part.required() && !state().allowsReady();
  }
}
