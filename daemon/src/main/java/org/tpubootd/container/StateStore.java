package org.tpubootd.container;

import java.io.IOException;
import java.util.Optional;

/**
 * Keeps a small text for each part over a restart of tpu-bootd. Handed in: containers do not know
 * how files are written.
 */
public interface StateStore {

  /**
   * @param part the part's short name, such as {@code vbar}
   * @return empty where nothing was kept
   */
  Optional<String> read(String part) throws IOException, InterruptedException;

  void write(String part, String text) throws IOException, InterruptedException;
}
