package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tpubootd.container.Observed.Status;
import org.tpubootd.core.FakeTime;

/** Tests for {@link Restarts}. */
class RestartsTest {

  private final FakeTime time = new FakeTime();
  private int engineLosses;
  private final Restarts restarts =
      new Restarts(Configs.containers(), () -> engineLosses, time, new Random(1));
  private int runs;

  @Test
  void untilDue_firstRestartAtOnceThenDoublingUpToTheLongest() {
    restarts.started("a");
    end();
    assertThat(restarts.untilDue()).isLessThanOrEqualTo(Duration.ZERO);
    Duration bound = Duration.ofSeconds(1);
    for (int i = 0; i < 40; i++) {
      end();
      assertThat(restarts.untilDue())
          .as("wait %d of at most %s", i, bound)
          .isBetween(bound.dividedBy(2), bound);
      bound = bound.multipliedBy(2);
      bound = bound.compareTo(Duration.ofMinutes(5)) > 0 ? Duration.ofMinutes(5) : bound;
    }
  }

  @Test
  void untilDue_passesWithTime() {
    restarts.started("a");
    end();
    end();
    time.advance(Duration.ofSeconds(1));
    assertThat(restarts.untilDue()).isLessThanOrEqualTo(Duration.ZERO);
  }

  @Test
  void ended_sameRunCountsOnce() {
    restarts.started("a");
    var ended = Configs.container("a", Status.EXITED, "s", "2026-11-30T08:00:00Z");
    assertThat(restarts.ended(ended)).isTrue();
    assertThat(restarts.ended(ended)).isFalse();
    assertThat(restarts.inARow()).isEqualTo(1);
  }

  /** A trial is judged by this. */
  @Test
  void endedByItselfWithin_engineWentSinceItWasLastSeen_isNotByItself() {
    var runs = Configs.container("a", Status.RUNNING, "s", "2026-11-30T08:00:00Z");
    var ended = Configs.container("a", Status.EXITED, "s", "2026-11-30T08:00:00Z");
    restarts.started("a");
    restarts.running(runs);
    engineLosses++;

    restarts.ended(ended);

    assertThat(restarts.endedByItselfWithin(ended, Duration.ofSeconds(10))).isFalse();
    assertThat(restarts.lastEnd()).endsWith(", while the engine went away");
  }

  @Test
  void endedByItselfWithin_seenAgainAfterTheEngineWent_isByItself() {
    var runs = Configs.container("a", Status.RUNNING, "s", "2026-11-30T08:00:00Z");
    var ended = Configs.container("a", Status.EXITED, "s", "2026-11-30T08:00:00Z");
    restarts.started("a");
    engineLosses++;
    restarts.running(runs);

    restarts.ended(ended);

    assertThat(restarts.endedByItselfWithin(ended, Duration.ofSeconds(10))).isTrue();
    assertThat(restarts.lastEnd()).doesNotContain("the engine went away");
  }

  @Test
  void ended_containerThatLayStoppedWhenWeCameIsNotCounted() {
    assertThat(restarts.ended(Configs.container("a", Status.EXITED, "s", "2026-11-30T07:00:00Z")))
        .isFalse();
    assertThat(restarts.inARow()).isZero();
  }

  @Test
  void ended_afterAHealthyRunTheWaitsBeginAgain() {
    restarts.started("a");
    end();
    end();
    end();
    assertThat(restarts.isLoop()).isTrue();
    restarts.started("a");
    time.advance(Duration.ofMinutes(5));
    end();
    assertThat(restarts.inARow()).isEqualTo(1);
    assertThat(restarts.untilDue()).isLessThanOrEqualTo(Duration.ZERO);
  }

  @Test
  void running_longEnoughEndsTheCrashLoop() {
    restarts.started("a");
    end();
    end();
    end();
    restarts.started("a");
    var running = Configs.container("a", Status.RUNNING, "s", "2026-11-30T09:00:00Z");
    restarts.running(running);
    assertThat(restarts.isLoop()).isTrue();
    time.advance(Duration.ofMinutes(5));
    restarts.running(running);
    assertThat(restarts.isLoop()).isFalse();
    assertThat(restarts.inARow()).isZero();
  }

  @Test
  void ended_aStepOfTheWallClockDoesNotHideAHealthyRun() {
    restarts.started("a");
    end();
    end();
    restarts.started("a");
    time.advance(Duration.ofMinutes(6));
    time.stepWallClock(Duration.ofHours(-1));
    end();
    assertThat(restarts.inARow()).isEqualTo(1);
  }

  @Test
  void ended_aStepOfTheWallClockIsNoHealthyRun() {
    restarts.started("a");
    end();
    end();
    restarts.started("a");
    restarts.ended(anHourByTheEngine("a"));
    assertThat(restarts.inARow()).isEqualTo(3);
  }

  @Test
  void ended_runThatWasAdoptedIsAsLongAsTheEngineSays() {
    restarts.started("a");
    end();
    end();
    restarts.running(Configs.container("b", Status.RUNNING, "s", "2026-11-30T08:01:00Z"));
    restarts.ended(anHourByTheEngine("b"));
    assertThat(restarts.inARow()).isEqualTo(1);
  }

  /** Such as by a start whose answer was lost, or by a person's docker restart. */
  @Test
  void running_anotherRunOfTheSameContainerIsNotHealthyByTheFirst() {
    restarts.started("a");
    end();
    end();
    restarts.started("a");
    restarts.running(Configs.container("a", Status.RUNNING, "s", "2026-11-30T09:00:00Z"));
    time.advance(Duration.ofMinutes(4));
    var anew = Configs.container("a", Status.RUNNING, "s", "2026-11-30T09:04:00Z");
    restarts.running(anew);
    time.advance(Duration.ofMinutes(4));
    restarts.running(anew);
    assertThat(restarts.inARow()).isEqualTo(2);
    time.advance(Duration.ofMinutes(1));
    restarts.running(anew);
    assertThat(restarts.inARow()).isZero();
  }

  @Test
  void failedToStart_isAnEndWithItsReason() {
    restarts.failedToStart("no such program");
    assertThat(restarts.inARow()).isEqualTo(1);
    assertThat(restarts.lastError()).contains("no such program");
  }

  private static Observed anHourByTheEngine(String id) {
    return Configs.container(
        id, Status.EXITED, "s", "2026-11-30T08:01:00Z", "2026-11-30T09:01:00Z");
  }

  /** One run of the container that begins and ends at once. */
  private void end() {
    runs++;
    restarts.ended(
        Configs.container("a", Status.EXITED, "s", "2026-11-30T08:00:%02dZ".formatted(runs)));
  }
}
