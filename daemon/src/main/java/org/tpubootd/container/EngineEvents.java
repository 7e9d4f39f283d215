package org.tpubootd.container;

import com.github.dockerjava.api.model.Event;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.container.EngineStream.Signal;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Time;

/**
 * Follows the engine's events, so that a container that ends is looked at within milliseconds.
 * While there is no engine it is the one that looks for it on behalf of all, and wakes them when it
 * has come. Runs until interrupted, and never fails: the regular passes are there when it is deaf,
 * and they are what tells people of an engine that is away.
 */
public final class EngineEvents implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(EngineEvents.class);

  /** An engine that breaks off sooner is not well, and is not to be asked without a pause. */
  private static final Duration LASTING = Duration.ofSeconds(5);

  private final Engine engine;
  private final Duration answerWithin;
  private final Consumer<String> ringPart;
  private final Runnable ringAll;
  private final Time time;
  private final Backoff backoff;
  private boolean defectTold;

  /**
   * @param answerWithin how long the engine has to take the call for its events
   * @param ringPart wakes the loop of one part, by the part's short name such as {@code vbar}
   * @param ringAll wakes the loops of all containers
   */
  public EngineEvents(
      Engine engine,
      Duration answerWithin,
      Consumer<String> ringPart,
      Runnable ringAll,
      Time time,
      RandomGenerator random) {
    this.engine = engine;
    this.answerWithin = answerWithin;
    this.ringPart = ringPart;
    this.ringAll = ringAll;
    this.time = time;
    this.backoff = new Backoff(Duration.ofMillis(250), Duration.ofSeconds(1), random);
  }

  @Override
  public void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        lookAndFollow();
        time.sleep(backoff.next());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      engine.lookedNoMore();
    }
  }

  /** A defect costs the promptness for a while, not the watch for the daemon's life. */
  private void lookAndFollow() throws InterruptedException {
    try {
      if (isThere()) {
        follow();
        // They end when the engine does, most often: told at once, and not after a pause.
        isThere();
      }
    } catch (EngineException e) {
      log.debug("there is no engine to be looked for: {}", e.getMessage());
    } catch (RuntimeException e) {
      engine.lookedNoMore();
      if (!defectTold) {
        defectTold = true;
        log.error("the events of the engine at {} broke on a defect", engine.address(), e);
      }
    }
  }

  private boolean isThere() throws EngineException, InterruptedException {
    boolean changed = engine.look();
    if (changed) {
      log.debug("the engine at {} {}", engine.address(), engine.isAway() ? "is away" : "answers");
      ringAll.run();
    }
    return !engine.isAway();
  }

  private void follow() throws InterruptedException {
    // From a moment before, since the engine answers first and listens to itself a little later.
    try (EngineStream<Event> events = engine.events(time.instant().minusSeconds(1))) {
      if (!(events.next(answerWithin) instanceof Signal.Started<Event>)) {
        log.debug("the engine at {} did not take the call for its events", engine.address());
        return;
      }
      log.debug("following the events of the engine at {}", engine.address());
      long began = time.nanos();
      ringAll.run();
      while (events.next() instanceof Signal.Item<Event>(Event event)) {
        ring(event);
      }
      log.debug("the events of the engine at {} ended", engine.address());
      if (time.since(began).compareTo(LASTING) > 0) {
        backoff.reset();
        // One that breaks off sooner may do so for ever, and would excuse every end.
        engine.fellSilent();
      }
    } catch (EngineException e) {
      log.debug("the events cannot be followed: {}", e.getMessage());
    }
  }

  private void ring(Event event) {
    var actor = event.getActor();
    var attributes = actor == null ? null : actor.getAttributes();
    String part = attributes == null ? null : attributes.get(ContainerSpec.PART_LABEL);
    log.debug("event {} of the part {}", event.getAction(), part);
    if (part == null) {
      ringAll.run();
    } else {
      ringPart.accept(part);
    }
  }
}
