package org.tpubootd.core;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Shows the condition of every part. Everything that tells people something reads only this.
 * Thread-safe; readers get snapshots in the order in which the parts were enlisted.
 */
public final class Board {

  private final InstantSource clock;
  private final List<Consumer<Board>> listeners = new CopyOnWriteArrayList<>();
  private volatile Map<String, Condition> conditions = Map.of();

  public Board(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Puts a part on the board, as waiting for its first pass; one that is there keeps its finding.
   */
  public void enlist(Part part) {
    change(next -> {
      Condition known = next.get(part.name());
      next.put(
          part.name(),
          known == null
              ? new Condition(
                  part,
                  Finding.waiting("not looked at yet", "its first pass has not ended", null),
                  clock.instant(),
                  0)
              : new Condition(part, known.finding(), known.since(), known.attempts()));
      return true;
    });
  }

  /** Takes a part off the board. */
  public void strike(String name) {
    change(next -> next.remove(name) != null);
  }

  /** Shows what a pass found. Findings for a part that is not on the board are dropped. */
  public void post(String name, Finding finding) {
    put(name, finding, true);
  }

  /** Shows what is so during a pass that goes on: no attempt is counted. */
  public void postProgress(String name, Finding finding) {
    put(name, finding, false);
  }

  private void put(String name, Finding finding, boolean passEnded) {
    change(next -> {
      Condition before = next.get(name);
      if (before == null) {
        return false;
      }
      boolean settled = finding.state().allowsReady();
      int attempts = settled ? 0 : before.attempts() + (passEnded ? 1 : 0);
      var since = finding.state() == before.state() ? before.since() : clock.instant();
      next.put(name, new Condition(before.part(), finding, since, attempts));
      return true;
    });
  }

  private void change(Predicate<Map<String, Condition>> edit) {
    synchronized (this) {
      var next = new LinkedHashMap<>(conditions);
      if (!edit.test(next)) {
        return;
      }
      conditions = next;
      notifyAll();
    }
    listeners.forEach(listener -> listener.accept(this));
  }

  public List<Condition> conditions() {
    return List.copyOf(conditions.values());
  }

  public Optional<Condition> condition(String name) {
    return Optional.ofNullable(conditions.get(name));
  }

  /** Whether every required part is as it should be, or not ours to do. */
  public boolean ready() {
    return conditions.values().stream().noneMatch(Condition::holdsUpReady);
  }

  /** The same for the parts of one group only. */
  public boolean ready(Part.Group group) {
    return conditions.values().stream()
        .filter(condition -> condition.part().group() == group)
        .noneMatch(Condition::holdsUpReady);
  }

  /** Calls back after each change, on the thread that made it: the listener must be quick. */
  public void onChange(Consumer<Board> listener) {
    listeners.add(listener);
  }

  /** Waits until the board is as wanted; for one-shot commands and tests. */
  public void await(Predicate<Board> wanted) throws InterruptedException {
    synchronized (this) {
      while (!wanted.test(this)) {
        wait();
      }
    }
  }
}
