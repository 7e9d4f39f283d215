package org.tpubootd.metadata;

import java.time.Instant;

/**
 * A token of the VM's service account. Stays in memory: never logged, never written.
 *
 * @param expiresAt by the wall clock
 */
public record AccessToken(String value, Instant expiresAt) {

  @Override
  public String toString() {
    return "AccessToken[expiresAt=" + expiresAt + "]";
  }
}
