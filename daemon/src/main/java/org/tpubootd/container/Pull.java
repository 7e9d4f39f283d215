package org.tpubootd.container;

import com.github.dockerjava.api.model.PullResponseItem;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.container.EngineStream.Signal;
import org.tpubootd.core.Time;

/** Pulls images: with a guard against stalls, a deadline, and a log-in for Google's registries. */
final class Pull {

  private static final Duration BETWEEN_TELLINGS = Duration.ofMillis(500);

  /** What the pull carries, and how a person is told of it. */
  private record Login(Optional<RegistryLogin.Credentials> credentials, String told) {}

  private final Engine engine;
  private final ContainersConfig config;
  private final RegistryLogin login;
  private final Time time;

  Pull(Engine engine, ContainersConfig config, RegistryLogin login, Time time) {
    this.engine = engine;
    this.config = config;
    this.login = login;
    this.time = time;
  }

  /**
   * Pulls an image, or waits for somebody else's pull of it.
   *
   * @param progress takes a word about how far it is, at most twice a second
   */
  void pull(ImageName image, Consumer<String> progress)
      throws PullFailure, EngineException, InterruptedException {
    long began = time.nanos();
    OnePull one = engine.images().onePull(image);
    long done = one.done();
    if (!one.tryBegin()) {
      progress.accept("another container's pull of it goes on");
      if (!one.tryBegin(config.pullDeadline())) {
        throw tooSlow(image);
      }
    }
    try {
      if (one.done() == done) {
        stream(image, began, progress);
        throwIfMissing(image);
        one.endedWell();
      }
    } finally {
      one.end();
    }
  }

  private void stream(ImageName image, long began, Consumer<String> progress)
      throws PullFailure, EngineException, InterruptedException {
    Login with = login(image);
    var layers = new PullProgress();
    long moved = time.nanos();
    long told = moved - BETWEEN_TELLINGS.toNanos();
    String shown = "";
    try (EngineStream<PullResponseItem> stream =
        engine.images().pull(image, with.credentials().orElse(null))) {
      while (true) {
        Duration left = config.pullDeadline().minus(time.since(began));
        Duration patience = config.pullStall().minus(time.since(moved));
        if (!left.isPositive()) {
          throw tooSlow(image);
        }
        if (!patience.isPositive()) {
          throw new PullFailure(
              image,
              PullFailure.Kind.STALLED,
              "nothing came for %d s (%s)".formatted(config.pullStall().toSeconds(), layers));
        }
        Duration wait = left.compareTo(patience) < 0 ? left : patience;
        String now = layers.toString();
        if (!now.equals(shown)) {
          Duration pause = BETWEEN_TELLINGS.minus(time.since(told));
          if (!pause.isPositive()) {
            told = time.nanos();
            shown = now;
            progress.accept(now);
          } else if (pause.compareTo(wait) < 0) {
            // A burst may be all that comes for long: then its end is to be told, not its
            // beginning.
            wait = pause;
          }
        }
        switch (stream.next(wait)) {
          case Signal.Started<PullResponseItem> _ -> {}
          case Signal.Silence<PullResponseItem> _ -> {}
          case Signal.Item<PullResponseItem>(PullResponseItem item) -> {
            throwIfError(image, item, with);
            if (layers.take(item)) {
              moved = time.nanos();
            }
          }
          case Signal.Ended<PullResponseItem>(Throwable cause) -> {
            if (cause == null) {
              return;
            }
            EngineException error = engine.translated("pull the image " + image, cause);
            if (error.engineIsAway()) {
              throw error;
            }
            throw PullFailure.said(image, error.reason, with.told());
          }
        }
      }
    }
  }

  /** Without this an engine that loses what it has pulled would be asked again by every pass. */
  private void throwIfMissing(ImageName image)
      throws PullFailure, EngineException, InterruptedException {
    if (engine.images().id(image).isEmpty()) {
      throw new PullFailure(
          image, PullFailure.Kind.LOST, "the engine says that it is done, and has no such image");
    }
  }

  private static void throwIfError(ImageName image, PullResponseItem item, Login with)
      throws PullFailure {
    Optional<String> error = EngineErrors.in(item);
    if (error.isPresent()) {
      throw PullFailure.said(image, error.get(), with.told());
    }
  }

  private PullFailure tooSlow(ImageName image) {
    return new PullFailure(
        image,
        PullFailure.Kind.TOO_SLOW,
        "it was not done within %d s".formatted(config.pullDeadline().toSeconds()));
  }

  private Login login(ImageName image) throws InterruptedException {
    if (!Registry.isGoogles(image.registry())) {
      return new Login(
          Optional.empty(), "tried without log-in: " + image.registry() + " is not Google's");
    }
    try {
      Optional<RegistryLogin.Credentials> credentials = login.credentials(image.registry());
      return new Login(
          credentials,
          credentials.isPresent()
              ? "tried with the token of the VM's service account"
              : "tried without log-in: the VM has no service account");
    } catch (IOException e) {
      // Some images are public: so a missing log-in is no reason not to try.
      return new Login(Optional.empty(), "tried without log-in: " + e.getMessage());
    }
  }
}
