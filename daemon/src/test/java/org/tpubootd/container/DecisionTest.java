package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tpubootd.container.Observed.Status;

/** Tests for {@link Decision}. */
class DecisionTest {

  private static final Optional<String> IMAGE = Optional.of("image-1");
  private static final Observed RUNS = container("runs", Status.RUNNING, "right", 2);
  private static final Observed OLD = container("old", Status.RUNNING, "wrong", 1);
  private static final Observed STOPPED = container("stopped", Status.EXITED, "right", 1);
  private static final Observed LEFT = container("left", Status.EXITED, "wrong", 1);

  @Test
  void about_nothingThere() {
    assertThat(about()).isEqualTo(new Decision.Make(List.of()));
  }

  @Test
  void about_rightOneRuns() {
    assertThat(about(RUNS)).isEqualTo(new Decision.Keep(RUNS, List.of()));
  }

  @Test
  void about_rightOneRunsWhateverTheImagesNameStandsForByNow() {
    assertThat(Decision.about(List.of(RUNS), "right", Optional.of("image-2")))
        .isEqualTo(new Decision.Keep(RUNS, List.of()));
  }

  @Test
  void about_twoRightOnesRunTheOlderStays() {
    Observed older = container("older", Status.RUNNING, "right", 1);
    assertThat(about(RUNS, older, LEFT)).isEqualTo(new Decision.Keep(older, List.of(RUNS, LEFT)));
  }

  @ParameterizedTest
  @EnumSource(names = {"PAUSED", "RESTARTING"})
  void about_whatHasAProcessIsKept(Status status) {
    Observed alive = container("a", status, "right", 1);
    assertThat(about(alive, STOPPED)).isEqualTo(new Decision.Keep(alive, List.of(STOPPED)));
  }

  @Test
  void about_rightOneIsStopped() {
    assertThat(about(STOPPED, LEFT)).isEqualTo(new Decision.Start(STOPPED, List.of(LEFT)));
  }

  @Test
  void about_rightOneIsStoppedWithItsImageGone() {
    assertThat(Decision.about(List.of(STOPPED), "right", Optional.empty()))
        .isEqualTo(new Decision.Start(STOPPED, List.of()));
  }

  @Test
  void about_stoppedOneOfAnOlderImageIsMadeAnew() {
    assertThat(Decision.about(List.of(STOPPED), "right", Optional.of("image-2")))
        .isEqualTo(new Decision.Make(List.of(STOPPED)));
  }

  @Test
  void about_anotherSpecRuns() {
    assertThat(about(OLD, LEFT))
        .isEqualTo(new Decision.Replace(OLD, Optional.empty(), List.of(LEFT)));
  }

  @Test
  void about_replacementThatWasCutOffGoesOn() {
    Observed made = container("made", Status.CREATED, "right", 0);
    assertThat(about(OLD, made)).isEqualTo(new Decision.Replace(OLD, Optional.of(made), List.of()));
  }

  @Test
  void about_deadOneIsMadeAnew() {
    Observed dead = container("dead", Status.DEAD, "right", 1);
    assertThat(about(dead)).isEqualTo(new Decision.Make(List.of(dead)));
  }

  @Test
  void about_oneThatIsBeingRemovedIsWaitedFor() {
    Observed leaving = container("leaving", Status.REMOVING, "right", 1);
    assertThat(about(leaving)).isEqualTo(new Decision.Wait(leaving, List.of()));
  }

  @Test
  void about_newOneKeepsItsPredecessorForAWhile() {
    Observed next = next(Status.RUNNING);
    assertThat(about(LEFT, next, STOPPED))
        .isEqualTo(new Decision.OnTrial(next, LEFT, List.of(STOPPED)));
  }

  @Test
  void about_newOneEndedOnItsTrial() {
    Observed next = next(Status.EXITED);
    assertThat(about(LEFT, next)).isEqualTo(new Decision.Restore(next, LEFT, List.of()));
  }

  @Test
  void about_replacementCutOffBetweenStopAndStart() {
    Observed next = next(Status.CREATED);
    assertThat(about(LEFT, next)).isEqualTo(new Decision.OnTrial(next, LEFT, List.of()));
  }

  @Test
  void about_newOneWithoutPredecessorIsLikeAnyOther() {
    Observed next = next(Status.RUNNING);
    assertThat(about(next)).isEqualTo(new Decision.Keep(next, List.of()));
    Observed ended = next(Status.EXITED);
    assertThat(about(ended)).isEqualTo(new Decision.Start(ended, List.of()));
  }

  private static Observed next(Status status) {
    Observed one = container("next", status, "right", 3);
    return new Observed(
        one.id(),
        "tpu-bootd-vbar-next",
        one.labels(),
        status,
        one.imageId(),
        one.startedAt(),
        one.finishedAt(),
        one.exitCode(),
        one.oomKilled(),
        one.error());
  }

  private static Decision about(Observed... ours) {
    return Decision.about(List.of(ours), "right", IMAGE);
  }

  private static Observed container(String id, Status status, String spec, int hour) {
    return Configs.container(id, status, spec, "2026-11-30T0%d:00:00Z".formatted(hour));
  }
}
