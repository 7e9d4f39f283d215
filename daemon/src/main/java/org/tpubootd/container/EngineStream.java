package org.tpubootd.container;

import com.github.dockerjava.api.async.ResultCallback;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An answer of the engine that goes on, read item by item on the reader's own thread. docker-java
 * reads it on a thread that nobody can interrupt and that hangs for good with a hung engine; so
 * each stream has connections of its own, and closing the stream breaks them, which ends the
 * thread.
 */
final class EngineStream<T> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(EngineStream.class);

  /** What came next. */
  sealed interface Signal<T> {

    /** The head of the answer is there: the engine has taken the call. */
    record Started<T>() implements Signal<T> {}

    record Item<T>(T value) implements Signal<T> {}

    /**
     * @param cause null for an end as it should be
     */
    record Ended<T>(@Nullable Throwable cause) implements Signal<T> {}

    /** Nothing came in the time given. */
    record Silence<T>() implements Signal<T> {}
  }

  private final BlockingQueue<Signal<T>> signals = new LinkedBlockingQueue<>();
  private final Closeable connections;

  /**
   * @param connections what the stream runs over, closed with it
   */
  EngineStream(Closeable connections) {
    this.connections = connections;
  }

  /**
   * What docker-java is to tell.
   *
   * @param taken what is to be read of an item, called on docker-java's thread: it may use the
   *     item's bytes for the next one as soon as this returns
   */
  <I> ResultCallback<I> callback(Function<? super I, ? extends T> taken) {
    return new ResultCallback<>() {
      @Override
      public void onStart(Closeable response) {
        signals.add(new Signal.Started<>());
      }

      @Override
      public void onNext(I item) {
        signals.add(new Signal.Item<>(taken.apply(item)));
      }

      @Override
      public void onError(Throwable cause) {
        signals.add(new Signal.Ended<>(cause));
      }

      @Override
      public void onComplete() {
        signals.add(new Signal.Ended<>(null));
      }

      @Override
      public void close() {}
    };
  }

  /** Waits for what comes next. */
  Signal<T> next(Duration atMost) throws InterruptedException {
    Signal<T> signal = signals.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
    return signal != null ? signal : new Signal.Silence<>();
  }

  /** Waits for what comes next, for ever. */
  Signal<T> next() throws InterruptedException {
    return signals.take();
  }

  @Override
  public void close() {
    try {
      connections.close();
    } catch (IOException e) {
      log.debug("closing the connections of a stream failed", e);
    }
  }
}
