package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.container.Tarballs.Tarball;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Time;

/** Gets the image of one container onto the host, and remembers how that went. Not thread-safe. */
final class Images {

  private static final Logger log = LoggerFactory.getLogger(Images.class);

  /**
   * What is to be done before the container can be made.
   *
   * @param archive is loaded first
   */
  record Fetch(Optional<Tarball> archive, boolean pull) {
    static final Fetch NOTHING = new Fetch(Optional.empty(), false);

    boolean isNeeded() {
      return pull || archive.isPresent();
    }
  }

  /** For reading all archives, for the sum of one, and for loading one: the disk is our own. */
  static final Duration ARCHIVE_LIMIT = Duration.ofMinutes(5);

  private final String part;
  private final ContainersConfig.Pull policy;
  private final Engine engine;
  private final Tarballs tarballs;
  private final Load loader;
  private final Pull puller;
  private final Time time;
  private final Backoff backoff;
  private boolean pullTried;
  private boolean archiveHadNoRoom;
  private @Nullable PullFailure failure;
  private long due;

  /**
   * @param part its name, for the log
   */
  Images(String part, ContainersConfig.Pull policy, Workplace place) {
    this.part = part;
    this.policy = policy;
    this.engine = place.engine();
    this.tarballs = new Tarballs(place.root(), ARCHIVE_LIMIT);
    this.loader = new Load(engine, ARCHIVE_LIMIT);
    this.puller = new Pull(place.engine(), place.limits(), place.login(), place.time());
    this.time = place.time();
    this.backoff = new Backoff(Duration.ofSeconds(2), Duration.ofMinutes(1), place.random());
  }

  /** How long it may take with all deadlines run out. */
  static Duration longest(ContainersConfig limits) {
    return limits.pullDeadline().plus(ARCHIVE_LIMIT.multipliedBy(3));
  }

  /**
   * With "always", one pull in the life of this component: at its first start of the container. A
   * container that crashes is not made to wait for a registry each time. An archive on this host
   * goes before a pull that only has to get what is missing.
   *
   * @param needed whether the container cannot be started without the image
   */
  Fetch toFetch(ImageName image, boolean needed) throws InterruptedException {
    if (archiveHadNoRoom && !untilDue().isPositive()) {
      archiveHadNoRoom = false;
      tarballs.tryAgainWhatHadNoRoom();
    }
    Optional<Tarball> archive = needed ? tarballs.holding(image) : Optional.empty();
    boolean always = policy == ContainersConfig.Pull.ALWAYS && !pullTried;
    boolean missing = needed && archive.isEmpty();
    return new Fetch(archive, policy != ContainersConfig.Pull.NEVER && (always || missing));
  }

  /** Why archives on this host are not used, a sentence each. */
  List<String> archiveProblems() {
    return tarballs.problems();
  }

  /** Loads it; an archive that cannot be used is not named again, or not soon. */
  void load(ImageName image, Tarball archive) throws EngineException, InterruptedException {
    log.info("{}: loading {} out of {}", part, image, archive.path());
    Optional<String> problem = tarballs.broken(archive);
    if (problem.isEmpty()) {
      problem = loader.load(archive, _ -> {});
    }
    if (problem.isEmpty() && engine.images().id(image).isEmpty()) {
      problem = Optional.of("it was loaded, and there is no " + image + " all the same");
    }
    problem.ifPresent(why -> tarballs.refuse(archive, why));
    if (problem.filter(why -> why.contains(EngineErrors.DISK_FULL)).isPresent()) {
      // Nothing is wrong with the archive: it is tried again when there may be room.
      archiveHadNoRoom = true;
      failed(PullFailure.noRoomFor(image, archive, problem.get()));
    }
  }

  private void failed(PullFailure why) {
    failure = why;
    due = time.nanos() + backoff.next().toNanos();
  }

  boolean neverPulled() {
    return policy == ContainersConfig.Pull.NEVER;
  }

  /** The image is there: with "always" it may still be an old one. */
  void seen() {
    if (policy != ContainersConfig.Pull.ALWAYS) {
      failure = null;
    }
  }

  /** How the last pull failed, if it did. */
  Optional<PullFailure> failure() {
    return Optional.ofNullable(failure);
  }

  /** How long until a pull may be tried again; nothing or less when it may be now. */
  Duration untilDue() {
    return failure == null ? Duration.ZERO : Duration.ofNanos(due - time.nanos());
  }

  /** Pulls it; a failure is remembered. One that an engine broke off by going away was no try. */
  void pull(ImageName image, Consumer<String> progress)
      throws EngineException, InterruptedException {
    pullTried = true;
    // While a registry is away this is tried for ever: told once, and when it is over.
    log.atLevel(failure == null ? Level.INFO : Level.DEBUG).log("{}: pulling {}", part, image);
    try {
      puller.pull(image, progress);
      log.info("{}: pulled {}", part, image);
      failure = null;
      backoff.reset();
    } catch (PullFailure e) {
      failed(e);
    } catch (EngineException e) {
      pullTried = !e.engineIsAway();
      throw e;
    }
  }
}
