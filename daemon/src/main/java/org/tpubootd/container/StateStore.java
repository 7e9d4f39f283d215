package org.tpubootd.container;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;

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

  /** The parts of which something is kept. */
  Set<String> parts() throws IOException, InterruptedException;

  /** Forgets what was kept of a part; nothing kept is as good. */
  void remove(String part) throws IOException, InterruptedException;

  void write(String part, String text) throws IOException, InterruptedException;
}
