package org.tpubootd.env;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tpubootd.metadata.Attributes;
import org.tpubootd.metadata.Reading;

/**
 * What is known of tpu-env, read: the last text that could be read stays known while the server is
 * away or answers nonsense. A text is parsed once. Thread-safe; one for all who ask.
 */
public final class TpuEnvSource {

  /** The attribute's key at the metadata server. */
  public static final String ATTRIBUTE = "tpu-env";

  private final Attributes attributes;
  private @Nullable Good good;
  private @Nullable Bad bad;

  public TpuEnvSource(Attributes attributes) {
    this.attributes = attributes;
  }

  /** A text that could be read. */
  record Good(String text, TpuEnv env) {}

  private record Bad(String text, String problem) {}

  /**
   * What is known now.
   *
   * @param good the last text that could be read
   * @param problem why the text received last cannot be read, if it cannot
   */
  record Knowledge(Reading reading, @Nullable Good good, @Nullable String problem) {

    /** Whether the server says that there is none, and has never given one. */
    boolean hasNone() {
      return good == null && problem == null && reading.status() == Reading.Status.ABSENT;
    }
  }

  /** The last tpu-env that could be read; empty where none was received yet. */
  public Optional<TpuEnv> read() throws InterruptedException {
    return Optional.ofNullable(look().good()).map(Good::env);
  }

  /**
   * The same, made into something else.
   *
   * @param ifNone what stands for a VM of which the server says that it has no tpu-env
   * @return empty while neither is known
   */
  public <T> Optional<T> known(Function<TpuEnv, T> from, T ifNone) throws InterruptedException {
    Knowledge known = look();
    if (known.good() != null) {
      return Optional.of(from.apply(known.good().env()));
    }
    return known.hasNone() ? Optional.of(ifNone) : Optional.empty();
  }

  Knowledge look() throws InterruptedException {
    // Not under the lock: a one-shot command's attributes ask the server.
    Reading reading = attributes.read(ATTRIBUTE);
    return learn(reading);
  }

  private synchronized Knowledge learn(Reading reading) {
    String text = reading.text();
    if (text == null) {
      return new Knowledge(reading, good, null);
    }
    if (good != null && good.text().equals(text)) {
      bad = null;
    } else if (bad == null || !bad.text().equals(text)) {
      try {
        good = new Good(text, TpuEnv.parse(text));
        bad = null;
      } catch (BadTpuEnvException e) {
        bad = new Bad(text, Objects.requireNonNull(e.getMessage()));
      }
    }
    return new Knowledge(reading, good, bad == null ? null : bad.problem());
  }
}
