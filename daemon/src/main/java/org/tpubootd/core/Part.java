package org.tpubootd.core;

/**
 * The part of the host that a component owns.
 *
 * @param name as on the command line and in /status: {@code devices}, {@code container/vbar}
 * @param required whether the host is ready only when this part is
 */
public record Part(String name, Group group, boolean required) {

  /** What systemd's READY=1 waits for, and what it does not. */
  public enum Group {
    /** Files and devices: units ordered after the service rely on these. */
    HOST,
    /** Agents in containers: shown in /readyz, but no boot waits for an image to be pulled. */
    CONTAINER,
    /** What tpu-bootd needs for itself, such as its health endpoint. */
    SELF
  }
}
