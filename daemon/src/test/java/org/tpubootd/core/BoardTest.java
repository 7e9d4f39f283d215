package org.tpubootd.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoardTest {

  private static final Part FILES = new Part("tpu-env", Part.Group.HOST, true);
  private static final Part AGENT = new Part("container/vbar", Part.Group.CONTAINER, true);
  private static final Part EXTRA = new Part("container/telemetry", Part.Group.CONTAINER, false);

  private final FakeTime time = new FakeTime();
  private final Board board = new Board(time);

  private Condition only() {
    return board.conditions().getFirst();
  }

  @Test
  void enlist_newPart_waitsForItsFirstPass() {
    board.enlist(FILES);
    assertThat(only().state()).isEqualTo(State.WAITING);
    assertThat(only().attempts()).isZero();
    assertThat(only().since()).isEqualTo(time.instant());
  }

  @Test
  void enlist_knownPart_keepsItsFindingAndTakesTheNewPart() {
    board.enlist(AGENT);
    board.post("container/vbar", Finding.failed("gone", "it ended", "look"));
    board.enlist(new Part("container/vbar", Part.Group.CONTAINER, false));
    assertThat(only().finding().summary()).isEqualTo("gone");
    assertThat(only().attempts()).isEqualTo(1);
    assertThat(only().part().required()).isFalse();
  }

  @Test
  void conditions_areInTheOrderOfEnlisting() {
    board.enlist(FILES);
    board.enlist(AGENT);
    board.enlist(EXTRA);
    board.post("container/telemetry", Finding.ok("runs"));
    board.post("tpu-env", Finding.ok("written"));
    assertThat(board.conditions())
        .extracting(condition -> condition.part().name())
        .containsExactly("tpu-env", "container/vbar", "container/telemetry");
  }

  @Test
  void post_unknownPart_isDropped() {
    board.post("nobody", Finding.ok("here"));
    assertThat(board.conditions()).isEmpty();
  }

  @Test
  void post_afterStrike_doesNotBringThePartBack() {
    board.enlist(FILES);
    board.strike("tpu-env");
    board.post("tpu-env", Finding.ok("written"));
    assertThat(board.condition("tpu-env")).isEmpty();
  }

  @Test
  void since_movesWithTheStateOnly() {
    board.enlist(FILES);
    var enlisted = time.instant();
    time.advance(Duration.ofSeconds(5));
    board.post("tpu-env", Finding.waiting("other words", "same state", null));
    assertThat(only().since()).isEqualTo(enlisted);
    board.post("tpu-env", Finding.ok("written"));
    assertThat(only().since()).isEqualTo(enlisted.plusSeconds(5));
  }

  @Test
  void attempts_countEndedPassesUntilThePartIsRight() {
    board.enlist(FILES);
    board.post("tpu-env", Finding.failed("no", "why", "do"));
    board.postProgress("tpu-env", Finding.waiting("half", "way", null));
    board.post("tpu-env", Finding.degraded("no", "why", "do"));
    assertThat(only().attempts()).isEqualTo(2);
    board.post("tpu-env", Finding.inert("not here", "no TPU"));
    assertThat(only().attempts()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "OK, true",
    "INERT, true",
    "WAITING, false",
    "DEGRADED, false",
    "FAILED, false",
  })
  void ready_isWhatTheRequiredPartAllows(State state, boolean ready) {
    board.enlist(FILES);
    board.post("tpu-env", new Finding(state, "s", null, null, List.of(), Map.of()));
    assertThat(board.ready()).isEqualTo(ready);
  }

  @Test
  void ready_partThatIsNotRequired_doesNotMatter() {
    board.enlist(EXTRA);
    board.post("container/telemetry", Finding.failed("gone", "it ended", "look"));
    assertThat(board.ready()).isTrue();
  }

  @Test
  void ready_ofOneGroup_leavesTheOthersOut() {
    board.enlist(FILES);
    board.enlist(AGENT);
    board.post("tpu-env", Finding.ok("written"));
    assertThat(board.ready(Part.Group.HOST)).isTrue();
    assertThat(board.ready(Part.Group.CONTAINER)).isFalse();
    assertThat(board.ready()).isFalse();
  }

  @Test
  void onChange_isCalledAfterEachChangeAndSeesIt() {
    var seen = new ArrayList<String>();
    board.onChange(now -> seen.add(now.conditions().toString()));
    board.enlist(FILES);
    board.post("tpu-env", Finding.ok("written"));
    board.post("nobody", Finding.ok("here"));
    assertThat(seen).hasSize(2);
    assertThat(seen.getLast()).contains("written");
  }

  @Test
  @Timeout(10)
  void await_endsWhenTheBoardIsAsWanted() throws Exception {
    board.enlist(FILES);
    Thread.ofVirtual().start(() -> board.post("tpu-env", Finding.ok("written")));
    board.await(Board::ready);
    assertThat(only().state()).isEqualTo(State.OK);
  }
}
