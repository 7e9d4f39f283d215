package org.tpubootd.metadata;

/**
 * The instance's attributes, as {@code instance/attributes/KEY} gives them. The daemon reads what
 * its watches last saw; a one-shot command asks the server.
 */
@FunctionalInterface
public interface Attributes {

  /** What is known of the attribute now. Never fails: what went wrong is in the reading. */
  Reading read(String key) throws InterruptedException;
}
