package org.tpubootd.core;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one component's part right: a pass, then a wait for the bell or the interval; after a pass
 * that left the part not right, a backoff. Runs until interrupted. The logger tells every change of
 * state once, and nothing while the state stays.
 */
public final class ControlLoop implements Task.Work {

  private static final Logger log = LoggerFactory.getLogger(ControlLoop.class);

  private final Component component;
  private final Board board;
  private final Backoff backoff;
  private final Time time;
  private final Bell bell;
  private volatile long lastProgress;

  /** What the last pass found. The board may show what was so during the present one. */
  private @Nullable Finding told;

  private @Nullable String toldDefect;

  /**
   * @param bell wakes the loop before its time
   */
  public ControlLoop(Component component, Board board, Backoff backoff, Time time, Bell bell) {
    this.component = component;
    this.board = board;
    this.backoff = backoff;
    this.time = time;
    this.bell = bell;
    this.lastProgress = time.nanos();
  }

  @Override
  public void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        State state = pass();
        lastProgress = time.nanos();
        time.await(bell, untilNext(state));
        lastProgress = time.nanos();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration untilNext(State state) {
    if (state.allowsReady()) {
      backoff.reset();
      return component.interval();
    }
    Duration wait = backoff.next();
    return wait.compareTo(component.interval()) < 0 ? wait : component.interval();
  }

  /** Makes one pass and shows what it found. */
  State pass() throws InterruptedException {
    String name = component.part().name();
    Finding found =
        look(component, progress -> board.postProgress(name, progress), this::tellDefect);
    tellChange(name, found);
    board.post(name, found);
    return found.state();
  }

  /**
   * One pass of a component, for loops and one-shot commands alike. Never fails: what a pass threw
   * is its finding.
   */
  public static Finding look(Component component, Consumer<Finding> progress)
      throws InterruptedException {
    return look(component, progress, e -> log(component, e));
  }

  private static Finding look(
      Component component, Consumer<Finding> progress, Consumer<RuntimeException> onDefect)
      throws InterruptedException {
    try {
      return component.plan().carryOut(progress);
    } catch (IOException e) {
      return Finding.failed(
          "the pass failed", String.valueOf(e.getMessage()), "see the cause; it is tried again");
    } catch (RuntimeException e) {
      onDefect.accept(e);
      return Finding.failed(
          "the pass broke on a defect of tpu-bootd",
          e.toString(),
          "report it with the stack trace from the log; it is tried again");
    }
  }

  private static void log(Component component, RuntimeException e) {
    log.error("{}: the pass broke on a defect of tpu-bootd", component.part().name(), e);
  }

  /** The whole stack trace of a defect once, not with each pass that meets it again. */
  private void tellDefect(RuntimeException e) {
    if (!e.toString().equals(toldDefect)) {
      toldDefect = e.toString();
      log(component, e);
    }
  }

  private void tellChange(String name, Finding found) {
    Finding before = told;
    told = found;
    if (before != null
        && before.state() == found.state()
        && before.summary().equals(found.summary())
        && before.notes().equals(found.notes())) {
      return;
    }
    String cause = found.causeIfAny().map(text -> ": " + text).orElse("");
    String line = "{}: {}: {}{}";
    switch (found.state()) {
      case OK, INERT, WAITING -> log.info(line, name, found.state().word(), found.summary(), cause);
      case DEGRADED, FAILED -> log.warn(line, name, found.state().word(), found.summary(), cause);
    }
    if (found.state() != State.WAITING) {
      // What is noted of a part that still waits for what it is made of may be gone with the wait.
      found.notes().forEach(note -> log.info("{}: {}", name, note));
    }
  }

  /** Whether the present pass, or the wait after it, takes longer than it can by its deadlines. */
  @Override
  public boolean stuck() {
    Duration limit =
        component.longestPass().compareTo(component.interval()) > 0
            ? component.longestPass()
            : component.interval();
    return time.since(lastProgress).compareTo(limit.plusSeconds(10)) > 0;
  }

  @Override
  public void close() {
    component.close();
  }
}
