package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The first seconds of a container that has replaced another one. Remembers the specification that
 * did not stand them, so that a running container is not given up for it a second time. Not
 * thread-safe.
 */
final class Trial {

  /** Until a new container has run for so long, the one before it is kept. */
  static final Duration LENGTH = Duration.ofSeconds(10);

  /**
   * @param hash of the specification that did not stand it
   * @param fallback hash of the one that came back
   * @param why a sentence
   */
  record Failed(String hash, String fallback, String why) {}

  private final IntSupplier reloads;
  private int seenReloads;
  private @Nullable Failed failed;

  /**
   * @param reloads how often a person has told tpu-bootd to look at everything anew
   */
  Trial(IntSupplier reloads) {
    this.reloads = reloads;
    this.seenReloads = reloads.getAsInt();
  }

  void failed(String hash, String fallback, String why) {
    failed = new Failed(hash, fallback, why);
  }

  /**
   * Whether this specification has failed and what came back in its place is still there. It may be
   * tried again once the configuration has asked for another one in between, or after a reload.
   */
  Optional<Failed> failed(String hash, List<Observed> ours) {
    Failed known = failed;
    int now = reloads.getAsInt();
    if (known != null
        && (now != seenReloads
            || !known.hash().equals(hash)
            || ours.stream().noneMatch(container -> container.hasSpec(known.fallback())))) {
      failed = null;
    }
    seenReloads = now;
    return Optional.ofNullable(failed);
  }

  Optional<Failed> failed() {
    return Optional.ofNullable(failed);
  }

  void resume(Optional<Failed> remembered) {
    failed = remembered.orElse(null);
  }
}
