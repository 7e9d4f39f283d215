package org.tpubootd;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thing that several tasks share, made of a piece of the configuration: the same one for as long
 * as the piece is the same. Not thread-safe.
 */
final class Kept<T extends AutoCloseable> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Kept.class);

  private @Nullable Object key;
  private @Nullable T thing;
  private @Nullable T replaced;

  /** The thing for this piece; made now if there is none, or only one of another piece. */
  T of(Object key, Supplier<T> maker) {
    T kept = thing;
    if (kept == null || !key.equals(this.key)) {
      replaced = thing;
      kept = maker.get();
      thing = kept;
      this.key = key;
    }
    return kept;
  }

  @Nullable T current() {
    return thing;
  }

  /** Closes the thing that was replaced, when nobody uses it any more. */
  void closeReplaced() {
    close(replaced);
    replaced = null;
  }

  @Override
  public void close() {
    closeReplaced();
    close(thing);
    thing = null;
  }

  private static void close(@Nullable AutoCloseable thing) {
    try {
      if (thing != null) {
        thing.close();
      }
    } catch (Exception e) {
      log.warn("{} could not be closed", thing, e);
    }
  }
}
