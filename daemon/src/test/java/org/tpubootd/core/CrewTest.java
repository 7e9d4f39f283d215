package org.tpubootd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CrewTest {

  private final Crew crew = new Crew();

  @AfterEach
  void dismiss() throws InterruptedException {
    crew.dismiss();
  }

  /** Works until it is interrupted, and counts its starts and ends. */
  private static final class Worker implements Task.Work {
    final CountDownLatch started = new CountDownLatch(1);
    final CountDownLatch ended = new CountDownLatch(1);
    volatile boolean closed;
    volatile boolean stuck;

    @Override
    public void run() {
      started.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException _) {
        ended.countDown();
      }
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public boolean stuck() {
      return stuck;
    }
  }

  private static Task task(String name, Object key, Worker worker) {
    return new Task(name, key, () -> worker);
  }

  @Test
  void bring_startsWhatIsMissing() throws Exception {
    var worker = new Worker();

    crew.bring(List.of(task("a", 1, worker)));

    worker.started.await();
  }

  @Test
  void bring_leavesAloneWhatHasTheSameKey() throws Exception {
    var made = new AtomicInteger();
    var first = new Worker();
    crew.bring(List.of(task("a", List.of("same"), first)));

    crew.bring(
        List.of(
            new Task(
                "a",
                List.of("same"),
                () -> {
                  made.incrementAndGet();
                  return new Worker();
                })));

    assertThat(made).hasValue(0);
    assertThat(first.closed).isFalse();
  }

  @Test
  void bring_replacesWhatHasAnotherKey() throws Exception {
    var first = new Worker();
    var second = new Worker();
    crew.bring(List.of(task("a", 1, first)));

    crew.bring(List.of(task("a", 2, second)));

    first.ended.await();
    assertThat(first.closed).isTrue();
    second.started.await();
  }

  @Test
  void bring_endsWhatIsNotWantedAnyMore() throws Exception {
    var leaving = new Worker();
    var staying = new Worker();
    crew.bring(List.of(task("a", 1, leaving), task("b", 1, staying)));

    crew.bring(List.of(task("b", 1, staying)));

    leaving.ended.await();
    assertThat(staying.closed).isFalse();
  }

  @Test
  void dismiss_doesNotWaitForWorkThatTakesNoInterrupt() throws Exception {
    var released = new CountDownLatch(1);
    crew.bring(
        List.of(
            new Task(
                "deaf",
                1,
                () ->
                    () -> {
                      while (released.getCount() > 0) {
                        try {
                          released.await();
                        } catch (InterruptedException _) {
                          // Deaf on purpose: a read in the kernel takes no interrupt either.
                        }
                      }
                    })));

    crew.dismiss();

    assertThat(crew.stuck()).isEmpty();
    released.countDown();
  }

  @Test
  void stuck_namesTheTasksThatDoNotMove() throws Exception {
    var moving = new Worker();
    var stuck = new Worker();
    crew.bring(List.of(task("moving", 1, moving), task("stuck", 1, stuck)));

    stuck.stuck = true;

    await().untilAsserted(() -> assertThat(crew.stuck()).containsExactly("stuck"));
  }

  @Test
  void stuck_namesATaskThatHasEndedByADefect() throws Exception {
    crew.bring(
        List.of(
            new Task(
                "broken",
                1,
                () ->
                    () -> {
                      throw new IllegalStateException("on purpose");
                    })));

    await().untilAsserted(() -> assertThat(crew.stuck()).containsExactly("broken"));
  }

  /** Its thread is dead by then, and that is as it should be. */
  @Test
  void stuck_doesNotNameWhatIsBeingReplaced() throws Exception {
    var seen = new ArrayList<String>();
    var leaving =
        new Task.Work() {
          @Override
          public void run() {}

          @Override
          public void close() {
            seen.add("closing: " + crew.stuck());
          }
        };
    crew.bring(List.of(new Task("a", 1, () -> leaving)));
    await().until(() -> !crew.stuck().isEmpty());

    crew.bring(List.of(task("a", 2, new Worker())));

    assertThat(seen).containsExactly("closing: []");
  }
}
