package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tpubootd.container.SupervisedContainer;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

/** Containers that end by themselves, once and again, and what is told of it. */
class RestartsIT extends OnFakeEngine {

  @Test
  void exited_startedAgainAtOnceTheFirstTime() throws Exception {
    var vbar = bench.supervise(vbar());
    Finding before = bench.pass(vbar);
    engine.exit(NAME, 0, false);

    Finding after = bench.pass(vbar);

    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(after.notes()).singleElement().asString().contains("exit code 0");
    assertThat(Bench.fact(after, "id")).isEqualTo(Bench.fact(before, "id"));
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void times_areToldInWholeSeconds() throws Exception {
    var vbar = bench.supervise(vbar());
    assertThat(bench.pass(vbar).summary())
        .matches("runs since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    engine.exit(NAME, 1, false);
    bench.pass(vbar);
    engine.exit(NAME, 1, false);

    Finding ended = bench.pass(vbar);

    assertThat(ended.toString()).contains("T").doesNotContainPattern(":\\d\\d\\.\\d+Z");
  }

  @Test
  void exitedTwice_waitsAndThenStarts() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    engine.exit(NAME, 1, false);
    bench.pass(vbar);
    engine.exit(NAME, 1, false);

    Finding waits = bench.pass(vbar);
    assertThat(waits.state()).isEqualTo(State.DEGRADED);
    assertThat(waits.summary()).matches("ended, starts again after a wait of \\d+ s");
    assertThat((Long) Bench.fact(waits, "startsAgainInSeconds")).isBetween(1L, 10L);
    assertThat(vbar.interval()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(10));
    assertThat(engine.runs(NAME)).isFalse();

    bench.time.forward(Duration.ofSeconds(2));
    assertThat(bench.pass(vbar).summary())
        .as("the same text for as long as the wait goes on")
        .isEqualTo(waits.summary());

    bench.time.forward(Duration.ofSeconds(8));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  /** As a real engine has it that was killed in the middle of a start. */
  private String runsAndCannotBeStartedAgain(SupervisedContainer vbar) throws Exception {
    String id = (String) Bench.fact(bench.pass(vbar), "id");
    engine.exit(NAME, 1, false);
    engine.failStartsOf(NAME, 500, "task 76ff3cd33d2b: already exists");
    return id;
  }

  @Test
  void startRefusedTwiceInARow_anotherOneIsMade() throws Exception {
    var vbar = bench.supervise(vbar());
    String first = runsAndCannotBeStartedAgain(vbar);
    bench.pass(vbar);
    assertThat(engine.inspect(first)).as("a first refusal costs nothing").isPresent();
    bench.time.forward(Duration.ofMinutes(10));
    bench.pass(vbar);
    engine.letStart(NAME);
    bench.time.forward(Duration.ofMinutes(10));

    bench.pass(vbar);

    assertThat(engine.runs(NAME)).isTrue();
    assertThat(engine.inspect(first)).isEmpty();
    assertThat(engine.names()).containsExactly(NAME);
  }

  @Test
  void startRefusedTwiceInARowAndNoImage_isKept() throws Exception {
    var vbar = bench.supervise(vbar());
    String first = runsAndCannotBeStartedAgain(vbar);
    engine.faults().fail("/images/", 404, "no such image");
    for (int pass = 0; pass < 4; pass++) {
      bench.pass(vbar);
      bench.time.forward(Duration.ofMinutes(10));
    }

    assertThat(engine.inspect(first)).isPresent();
  }

  @Test
  void crashLoop_showsExitCodesOutOfMemoryAndTheLastLines() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    for (int line = 1; line <= 60; line++) {
      engine.writeLog(NAME, "line " + line);
    }
    for (int exitCode : List.of(1, 139, 137)) {
      engine.exit(NAME, exitCode, exitCode == 137);
      bench.time.forward(Duration.ofMinutes(1));
      bench.pass(vbar);
      bench.time.forward(Duration.ofMinutes(1));
      bench.pass(vbar);
    }
    assertThat(bench.pass(vbar).state()).as("running again").isEqualTo(State.DEGRADED);
    engine.exit(NAME, 137, true);

    Finding found = bench.pass(vbar);

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary())
        .startsWith("crash loop: ended 4 times in a row, starts again after a wait of");
    assertThat(found.cause()).contains("exit code 137 (killed because its memory ran out)");
    assertThat((List<?>) Bench.fact(found, "lastEnds"))
        .extracting(end -> ((Map<?, ?>) end).get("exitCode"))
        .isEqualTo(List.of(1L, 139L, 137L, 137L));
    assertThat((List<?>) Bench.fact(found, "lastEnds"))
        .extracting(end -> ((Map<?, ?>) end).get("oomKilled"))
        .isEqualTo(List.of(false, false, true, true));
    assertThat((List<?>) Bench.fact(found, "lastLog")).hasSize(50).last().isEqualTo("line 60");
  }

  /** docker-java reads in pieces of 1,024 bytes, each into the same buffer. */
  @Test
  void lastLog_linesThatAreReadInPiecesAreAsTheyWereWritten() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    List<String> lines =
        IntStream.range(0, 50)
            .mapToObj(line -> line + ": " + "äö€".repeat(100) + "z".repeat(line * 7))
            .toList();
    lines.forEach(line -> engine.writeLog(NAME, line));
    engine.exit(NAME, 1, false);

    Finding found = bench.pass(vbar);

    assertThat(Bench.fact(found, "lastLog")).isEqualTo(lines);
  }

  @Test
  void lastLog_longLineIsCut() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    engine.writeLog(NAME, "x".repeat(2500) + "y".repeat(2500));
    engine.exit(NAME, 1, false);

    Finding found = bench.pass(vbar);

    assertThat((List<?>) Bench.fact(found, "lastLog"))
        .last()
        .isEqualTo("x".repeat(1000) + "... (4000 more characters)");
  }

  @Test
  void exitedBeforeWeCame_startedWithoutBeingCounted() throws Exception {
    bench.pass(vbar());
    engine.exit(NAME, 143, false);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes()).isEmpty();
    assertThat(Bench.fact(found, "endsInARow")).isEqualTo(0);
  }

  @Test
  void crashLoop_goesOnAfterARestartOfTpuBootd() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    for (int i = 0; i < 4; i++) {
      engine.exit(NAME, 3, false);
      bench.pass(vbar);
      bench.time.forward(Duration.ofMinutes(4));
      bench.pass(vbar);
    }
    engine.writeLog(NAME, "the last word");
    engine.exit(NAME, 4, true);
    bench.pass(vbar);
    engine.forgetReceived();

    var next = bench.supervise(vbar());
    Finding found = bench.pass(next);

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary())
        .startsWith("crash loop: ended 5 times in a row, starts again after a wait of ");
    assertThat(Bench.fact(found, "lastEnds").toString()).contains("exitCode=3", "exitCode=4");
    assertThat((List<?>) Bench.fact(found, "lastLog")).last().isEqualTo("the last word");
    assertThat(changes()).isEmpty();
    bench.time.forward(Duration.ofMinutes(5));
    bench.pass(next);
    assertThat(engine.runs(NAME)).isTrue();
  }

  @Test
  void memoryThatCannotBeReadOrWritten_isNoFailure() throws Exception {
    bench.states.breakDown();

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
  }

  @Test
  void plan_remembersNothing() throws Exception {
    bench.supervise(vbar()).plan();

    assertThat(bench.states.texts).isEmpty();
  }
}
