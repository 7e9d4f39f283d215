package org.tpubootd.core;

import java.util.function.Supplier;

/**
 * Work that goes on for as long as the daemon runs with one configuration.
 *
 * @param name unique; names the thread
 * @param key what the work was made of, compared by equals: a reload leaves it alone while it is
 *     the same
 * @param maker makes the work when it is to start
 */
public record Task(String name, Object key, Supplier<Work> maker) {

  /** What a task does. Runs until its thread is interrupted; closed afterwards. */
  public interface Work extends Runnable, AutoCloseable {

    /** Gives back what the work holds, such as a port. Must not throw checked exceptions. */
    @Override
    default void close() {}

    /** Whether the work has not moved for longer than its own deadlines allow. */
    default boolean stuck() {
      return false;
    }
  }
}
