package org.tpubootd.metadata;

/**
 * Asks for values of the metadata tree. Each call is one try with a limit of its own, never fails,
 * and ends at once with an InterruptedException when its thread is interrupted. Thread-safe.
 */
public interface Metadata {

  /** The value as it is now. */
  Answer get(MetadataPath path) throws InterruptedException;

  /**
   * Waits on the server until the value is another than the etag names. The same value again means
   * that nothing changed in the time that the server was asked to wait, or that it cannot wait.
   */
  Answer waitForChange(MetadataPath path, String etag) throws InterruptedException;
}
