package org.tpubootd.config;

import java.time.Duration;

/**
 * What systemd is told.
 *
 * @param readyAfter READY=1 is sent at the latest so long after the start, ready or not, so that no
 *     boot hangs on this service; the STATUS line then says what is missing
 */
public record SystemdConfig(Duration readyAfter) {

  static SystemdConfig from(Section section) {
    return new SystemdConfig(section.duration("ready-after", Duration.ofMinutes(2)));
  }
}
