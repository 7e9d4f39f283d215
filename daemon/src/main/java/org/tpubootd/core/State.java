package org.tpubootd.core;

import java.util.Locale;

/** How one part of the host is. */
public enum State {
  /** Not there yet, and nothing is known to be wrong: it will be tried again. */
  WAITING,
  /** As it should be. */
  OK,
  /** Works in part: a person should look at it. */
  DEGRADED,
  /** Does not work, and the cause is known: it will be tried again. */
  FAILED,
  /** Not ours to do on this host: switched off, or somebody else does it. */
  INERT;

  /** The word that people and machines read: the name in lower case. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether a host may be called ready with a required part in this state. */
  public boolean allowsReady() {
    return this == OK || this == INERT;
  }
}
