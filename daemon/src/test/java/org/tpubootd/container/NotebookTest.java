package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.Observed.Status;
import org.tpubootd.core.FakeTime;

/** Tests for {@link Notebook}. */
class NotebookTest {

  @TempDir Path root;
  private final FakeTime time = new FakeTime();
  private final Disk disk = new Disk();
  private int runs;

  /** Everything that a tpu-bootd has in its memory. */
  private final class Life {
    final Restarts restarts = new Restarts(Configs.containers(), () -> 0, time, new Random(1));
    final Trial trial = new Trial(() -> 0);
    final Notebook notebook = new Notebook(disk, "vbar", new HostRoot(root));

    Life() throws InterruptedException {
      notebook.load(restarts, trial);
    }

    void end(int times) {
      restarts.started("a");
      for (int i = 0; i < times; i++) {
        runs++;
        restarts.ended(
            Configs.container("a", Status.EXITED, "s", "2026-11-30T08:00:%02dZ".formatted(runs)));
      }
    }

    void save() throws InterruptedException {
      notebook.save(restarts, trial);
    }
  }

  private static final class Disk implements StateStore {
    final Map<String, String> files = new HashMap<>();
    int writes;

    @Override
    public Optional<String> read(String part) {
      return Optional.ofNullable(files.get(part));
    }

    @Override
    public void write(String part, String text) {
      writes++;
      files.put(part, text);
    }

    @Override
    public Set<String> parts() {
      return files.keySet();
    }

    @Override
    public void remove(String part) {
      files.remove(part);
    }
  }

  @BeforeEach
  void boot() throws IOException {
    boot("one");
  }

  private void boot(String id) throws IOException {
    Path file = root.resolve("proc/sys/kernel/random/boot_id");
    Files.createDirectories(file.getParent());
    Files.writeString(file, id + "\n");
  }

  @Test
  void nextLife_goesOnWithCountsEndsAndWait() throws Exception {
    var first = new Life();
    first.end(8);
    first.save();
    Duration waits = first.restarts.untilDue();
    time.advance(Duration.ofSeconds(5));

    var next = new Life();

    assertThat(next.restarts.inARow()).isEqualTo(8);
    assertThat(next.restarts.ends()).isEqualTo(first.restarts.ends());
    assertThat(next.restarts.untilDue()).isEqualTo(waits.minusSeconds(5));
    assertThat(
            next.restarts.isLastEnd(
                Configs.container("a", Status.EXITED, "s", "2026-11-30T08:00:08Z")))
        .isTrue();
  }

  @Test
  void nextLife_countsNoEndThatNobodySaw() throws Exception {
    var first = new Life();
    first.end(1);
    first.save();
    var next = new Life();

    boolean news =
        next.restarts.ended(Configs.container("a", Status.EXITED, "s", "2026-11-30T08:30:00Z"));

    assertThat(news).as("stopped with the last daemon").isFalse();
    assertThat(next.restarts.inARow()).isEqualTo(1);
  }

  @Test
  void clockSetBackByAnHour_waitsNoLongerThanItHadTo() throws Exception {
    var first = new Life();
    first.end(8);
    first.save();
    Duration waits = first.restarts.untilDue();
    time.stepWallClock(Duration.ofHours(-1));

    assertThat(new Life().restarts.untilDue()).isEqualTo(waits);
  }

  @Test
  void clockSetForwardByAnHour_isDueAtOnceWithItsCountsKept() throws Exception {
    var first = new Life();
    first.end(8);
    first.save();
    time.stepWallClock(Duration.ofHours(1));

    var next = new Life();

    assertThat(next.restarts.untilDue()).isLessThanOrEqualTo(Duration.ZERO);
    assertThat(next.restarts.inARow()).isEqualTo(8);
    next.end(1);
    assertThat(next.restarts.untilDue()).isPositive();
  }

  @Test
  void nextBoot_oldEndsAreHistoryOnly() throws Exception {
    var first = new Life();
    first.end(8);
    first.save();
    boot("two");

    var next = new Life();

    assertThat(next.restarts.ends()).hasSize(8);
    assertThat(next.restarts.inARow()).isZero();
    assertThat(next.restarts.untilDue()).isLessThanOrEqualTo(Duration.ZERO);
  }

  @Test
  void failedSpec_isKeptOverABoot() throws Exception {
    var first = new Life();
    first.trial.failed("new", "old", "it ended with exit code 1");
    first.save();
    boot("two");
    var old = List.of(Configs.container("a", Status.RUNNING, "old", "2026-11-30T08:00:00Z"));

    assertThat(new Life().trial.failed("new", old))
        .contains(new Trial.Failed("new", "old", "it ended with exit code 1"));
    assertThat(new Life().trial.failed("newer", old)).isEmpty();
    assertThat(new Life().trial.failed("new", List.of())).isEmpty();
  }

  @Test
  void save_writesOnlyWhatIsNew() throws Exception {
    var life = new Life();
    life.end(3);
    life.save();
    time.advance(Duration.ofMinutes(1));
    life.save();
    new Life().save();

    assertThat(disk.writes).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "[]",
        "{}",
        "{\"boot\":\"one\",\"waitsSince\":\"yesterday\"}",
        "\u0000\u0001",
        "{\"boot\":\"one\",\"waitsSince\":\"+1000000000-12-31T23:59:59Z\",\"waitMillis\":1}",
        "{\"boot\":\"one\",\"waitsSince\":\"-999999999-01-01T00:00:00Z\",\"waitMillis\":1}",
      })
  void brokenText_memoryBeginsAnew(String text) throws Exception {
    disk.files.put("vbar", text);

    var life = new Life();

    assertThat(life.restarts.inARow()).isZero();
    assertThat(life.restarts.untilDue()).isLessThanOrEqualTo(Duration.ofMillis(1));
    life.end(1);
    life.save();
    assertThat(new Life().restarts.inARow()).isEqualTo(1);
  }

  @Test
  void waitThatNobodyCanHaveWritten_isCutToTheLongest() throws Exception {
    disk.files.put(
        "vbar",
        "{\"boot\":\"one\",\"waitMillis\":9000000000000,\"waitsSince\":\"2026-11-30T08:00:00Z\"}");

    assertThat(new Life().restarts.untilDue()).isEqualTo(Duration.ofMinutes(5));
  }
}
