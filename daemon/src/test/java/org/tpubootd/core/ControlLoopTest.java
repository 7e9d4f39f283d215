package org.tpubootd.core;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ControlLoopTest {

  private static final Part PART = new Part("devices", Part.Group.HOST, true);
  private static final Finding FAILED = Finding.failed("3 of 4 bound", "one hangs", "look at it");

  /** Makes the passes it is given, in order, and ends the loop after the last. */
  private static final class Passes implements Component {
    private final Deque<Plan> plans = new ArrayDeque<>();

    Passes then(Finding found) {
      return then(Plan.nothingToDo(found));
    }

    Passes then(Plan plan) {
      plans.add(plan);
      return this;
    }

    @Override
    public Part part() {
      return PART;
    }

    @Override
    public Plan plan() throws InterruptedException {
      if (plans.isEmpty()) {
        throw new InterruptedException("the test has seen enough");
      }
      return plans.remove();
    }
  }

  private final FakeTime time = new FakeTime();
  private final Board board = new Board(time);
  private final Bell bell = new Bell();
  private final Logger logger = (Logger) LoggerFactory.getLogger(ControlLoop.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void begin() {
    board.enlist(PART);
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void end() {
    logger.detachAppender(logged);
  }

  private ControlLoop loop(Component component) {
    var backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(4), new Random(1));
    return new ControlLoop(component, board, backoff, time, bell);
  }

  /** Runs to the last pass; the loop keeps the interrupt, which is taken away again here. */
  private void run(Component component) {
    loop(component).run();
    assertThat(Thread.interrupted()).isTrue();
  }

  private List<String> lines() {
    return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void run_partIsRight_waitsForTheInterval() {
    run(new Passes().then(Finding.ok("4 of 4")).then(Finding.inert("no TPU", "none")));
    assertThat(time.waits()).containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(30));
  }

  @Test
  void run_partIsNotRight_backsOffWithinTheInterval() {
    run(new Passes().then(FAILED).then(FAILED).then(FAILED).then(FAILED).then(FAILED));
    assertThat(time.waits())
        .hasSize(5)
        .allMatch(wait -> wait.compareTo(Duration.ofSeconds(4)) <= 0);
    assertThat(board.condition("devices").orElseThrow().attempts()).isEqualTo(5);
  }

  @Test
  void run_bellRings_passesAtOnce() {
    bell.ring();
    bell.ring();
    run(new Passes().then(Finding.ok("a")).then(Finding.ok("a")));
    assertThat(time.waits()).containsExactly(Duration.ZERO, Duration.ofSeconds(30));
  }

  @Test
  void look_passThatThrowsIo_isAFindingWithTheCause() throws Exception {
    Component broken =
        new Passes()
            .then(
                new Plan(
                    FAILED,
                    List.of(),
                    _ -> {
                      throw new IOException("writing /sys/x failed with EIO");
                    }));
    Finding found = ControlLoop.look(broken, _ -> {});
    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).isEqualTo("writing /sys/x failed with EIO");
  }

  @Test
  void look_defect_isAFindingAndAStackTraceInTheLog() throws Exception {
    Component broken =
        new Passes()
            .then(
                new Plan(
                    FAILED,
                    List.of(),
                    _ -> {
                      throw new IllegalStateException("oops");
                    }));
    Finding found = ControlLoop.look(broken, _ -> {});
    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("oops");
    assertThat(logged.list)
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getThrowableProxy().getMessage()).isEqualTo("oops");
        });
  }

  @Test
  void run_stateStays_isToldOnce() {
    run(new Passes().then(FAILED).then(FAILED).then(FAILED));
    assertThat(lines()).containsExactly("devices: failed: 3 of 4 bound: one hangs");
  }

  @Test
  void run_progressBetweenEqualFindings_isNotToldAgain() {
    var pull =
        new Plan(
            FAILED,
            List.of(),
            progress -> {
              progress.accept(Finding.waiting("pulling", "40 of 120 MB", null));
              return FAILED;
            });
    run(new Passes().then(pull).then(pull));
    assertThat(lines()).hasSize(1);
  }

  @Test
  void run_changesAndNotes_areTold() {
    run(
        new Passes()
            .then(FAILED)
            .then(Finding.ok("4 of 4"))
            .then(Finding.ok("4 of 4").withNotes(List.of("an unknown id"))));
    assertThat(lines())
        .containsExactly(
            "devices: failed: 3 of 4 bound: one hangs",
            "devices: ok: 4 of 4",
            "devices: ok: 4 of 4",
            "devices: an unknown id");
  }

  @Test
  void progress_isOnTheBoardDuringThePass() {
    var seen = new ArrayDeque<String>();
    board.onChange(now -> seen.add(now.conditions().getFirst().finding().summary()));
    run(
        new Passes()
            .then(
                new Plan(
                    FAILED,
                    List.of(),
                    progress -> {
                      progress.accept(Finding.waiting("pulling", "40 of 120 MB", null));
                      return Finding.ok("runs");
                    })));
    assertThat(seen).containsExactly("pulling", "runs");
  }

  @Test
  void stuck_passWithinItsLimit_isNot() {
    ControlLoop loop = loop(new Passes());
    time.advance(Duration.ofMinutes(2).plusSeconds(10));
    assertThat(loop.stuck()).isFalse();
  }

  @Test
  void stuck_passBeyondItsLimit_is() {
    ControlLoop loop = loop(new Passes());
    time.advance(Duration.ofMinutes(2).plusSeconds(11));
    assertThat(loop.stuck()).isTrue();
  }

  @Test
  void stuck_wallClockStep_doesNotMatter() {
    ControlLoop loop = loop(new Passes());
    time.stepWallClock(Duration.ofDays(3));
    assertThat(loop.stuck()).isFalse();
  }
}
