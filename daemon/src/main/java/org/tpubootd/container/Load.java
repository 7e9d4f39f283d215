package org.tpubootd.container;

import com.github.dockerjava.api.model.LoadResponseItem;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tpubootd.container.EngineStream.Signal;

/** Gives an archive of an image to the engine. */
final class Load {

  private final Engine engine;
  private final Duration limit;

  /**
   * @param limit for the whole: an engine tells nothing while it unpacks
   */
  Load(Engine engine, Duration limit) {
    this.engine = engine;
    this.limit = limit;
  }

  /**
   * @param loaded takes the engine's word for each image that it has taken out of the archive
   * @return what the engine said against it; empty where it took it
   */
  Optional<String> load(Tarballs.Tarball tarball, Consumer<String> loaded)
      throws EngineException, InterruptedException {
    String what = "load the image in " + tarball.path();
    try (InputStream archive = tarball.open();
        EngineStream<LoadResponseItem> answer = engine.images().load(what, archive)) {
      long until = System.nanoTime() + limit.toNanos();
      while (true) {
        switch (answer.next(Duration.ofNanos(until - System.nanoTime()))) {
          case Signal.Started<LoadResponseItem> _ -> {}
          case Signal.Silence<LoadResponseItem> _ -> {
            return Optional.of("it was not loaded within %d s".formatted(limit.toSeconds()));
          }
          case Signal.Item<LoadResponseItem>(LoadResponseItem item) -> {
            // Not by docker-java's own loadImageCmd, which does not look at what the stream says.
            Optional<String> error = EngineErrors.in(item);
            if (error.isPresent()) {
              return Optional.of(said(tarball, error.get()));
            }
            tellLoaded(item.getStream(), loaded);
          }
          case Signal.Ended<LoadResponseItem>(Throwable cause) -> {
            if (cause == null) {
              return Optional.empty();
            }
            EngineException error = engine.translated(what, cause);
            if (error.engineIsAway()) {
              throw error;
            }
            return Optional.of(said(tarball, error.reason));
          }
        }
      }
    } catch (EngineException e) {
      throw e;
    } catch (IOException e) {
      return Optional.of("it cannot be read: " + e.getMessage());
    }
  }

  /** Both of an image with a name and of one without: {@code Loaded image ID: sha256:…}. */
  private static void tellLoaded(@Nullable String words, Consumer<String> loaded) {
    if (words != null && words.startsWith("Loaded image")) {
      loaded.accept(words.substring(words.indexOf(": ") + 2).strip());
    }
  }

  private static String said(Tarballs.Tarball tarball, String words) {
    return tarball.path().endsWith(".zst")
        ? "the engine said: " + words + " (engines before Docker 23 take no .zst: use .tar.gz)"
        : "the engine said: " + words;
  }
}
