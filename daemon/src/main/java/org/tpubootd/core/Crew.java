package org.tpubootd.core;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks at work, each on a virtual thread. Brought in line with a list of wanted tasks: what is
 * the same goes on untouched, so that a reload restarts nothing that did not change. Thread-safe.
 */
public final class Crew {

  private static final Logger log = LoggerFactory.getLogger(Crew.class);

  /** Blocking reads do not all take notice of an interrupt; a stop does not wait for those. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /**
   * @param leaving whether it was told to end: what it does from then on is not judged
   */
  private record AtWork(Task task, Task.Work work, Thread thread, boolean leaving) {

    boolean isStuck() {
      return !leaving && (!thread.isAlive() || work.stuck());
    }
  }

  // Replaced as a whole, so that stuck() need not wait for a task that takes long to end.
  private volatile Map<String, AtWork> atWork = Map.of();

  /**
   * Ends what is not wanted any more or was made of something else, then starts what is missing.
   */
  public synchronized void bring(List<Task> wanted) throws InterruptedException {
    var wantedByName = new LinkedHashMap<String, Task>();
    wanted.forEach(task -> wantedByName.put(task.name(), task));
    var leaving =
        atWork.values().stream()
            .filter(member -> {
              Task task = wantedByName.get(member.task().name());
              return task == null || !task.key().equals(member.task().key());
            })
            .toList();
    end(leaving);
    for (Task task : wanted) {
      if (!atWork.containsKey(task.name())) {
        start(task);
      }
    }
  }

  /** Ends everything. */
  public void dismiss() throws InterruptedException {
    bring(List.of());
  }

  /** The names of the tasks that are stuck, or have ended by a defect: none ends by itself. */
  public List<String> stuck() {
    return atWork.values().stream()
        .filter(AtWork::isStuck)
        .map(member -> member.task().name())
        .toList();
  }

  private void start(Task task) {
    Task.Work work = task.maker().get();
    Thread thread =
        Thread.ofVirtual()
            .name(task.name())
            .uncaughtExceptionHandler((_, e) ->
                log.error("{}: the thread ended by a defect of tpu-bootd", task.name(), e))
            .start(work);
    var next = new LinkedHashMap<>(atWork);
    next.put(task.name(), new AtWork(task, work, thread, false));
    atWork = next;
  }

  private void end(Collection<AtWork> leaving) throws InterruptedException {
    var told = new LinkedHashMap<>(atWork);
    for (AtWork member : leaving) {
      told.put(
          member.task().name(), new AtWork(member.task(), member.work(), member.thread(), true));
    }
    atWork = told;
    leaving.forEach(member -> member.thread().interrupt());
    for (AtWork member : leaving) {
      if (!member.thread().join(PATIENCE)) {
        log.debug("{}: still in a call that takes no interrupt; left behind", member.task().name());
      }
      member.work().close();
      var next = new LinkedHashMap<>(atWork);
      next.remove(member.task().name());
      atWork = next;
    }
  }
}
