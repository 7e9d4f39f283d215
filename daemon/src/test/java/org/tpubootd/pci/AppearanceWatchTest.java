package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.core.Bell;
import org.tpubootd.core.FakeTime;
import org.tpubootd.core.Time;

class AppearanceWatchTest {

  private static final Duration EVERY = Duration.ofMillis(500);

  @TempDir Path directory;

  private interface Act {
    void act() throws IOException;
  }

  /** Between two looks one act is done, and it is noted whether the look before had rung. */
  private static final class Script implements Time {
    private final Deque<Act> acts;
    private final Bell bell;
    private final FakeTime time = new FakeTime();
    private final List<Boolean> rung = new ArrayList<>();

    Script(Bell bell, List<Act> acts) {
      this.bell = bell;
      this.acts = new ArrayDeque<>(acts);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      assertThat(duration).isEqualTo(EVERY);
      rung.add(time.await(bell, Duration.ZERO));
      if (acts.isEmpty()) {
        throw new InterruptedException();
      }
      try {
        acts.pop().act();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public boolean await(Bell bell, Duration atMost) {
      throw new AssertionError("it only sleeps");
    }

    @Override
    public long nanos() {
      return time.nanos();
    }

    @Override
    public Instant instant() {
      return time.instant();
    }
  }

  private List<Boolean> rungAfter(HostTree tree, Act... acts) {
    var bell = new Bell();
    var script = new Script(bell, List.of(acts));
    new AppearanceWatch(tree.root(), EVERY, script, bell).run();
    assertThat(Thread.interrupted()).isTrue();
    return script.rung;
  }

  @Test
  void run_ringsForWhatIsThereAtFirstAndThenForChangesOnly() throws IOException {
    var tree = new HostTree(directory);
    tree.v5p("0000:00:05.0", "5");

    assertThat(
            rungAfter(
                tree,
                () -> {},
                () -> tree.v5p("0000:00:06.0", "6"),
                () -> {},
                () -> Files.delete(tree.path("/sys/bus/pci/devices/0000:00:05.0"))))
        .containsExactly(true, false, true, false, true);
  }

  @Test
  void run_ringsForAFunctionThatHasComeBackBetweenTwoLooks() throws IOException {
    var tree = new HostTree(directory);
    tree.v5p("0000:00:05.0", "5");
    Path link = tree.path("/sys/bus/pci/devices/0000:00:05.0");

    assertThat(
            rungAfter(
                tree,
                () -> {
                  // The new link is made while the old one is there: it gets another identity.
                  Path renewed =
                      Files.createSymbolicLink(tree.path("/renewed"), Files.readSymbolicLink(link));
                  Files.delete(link);
                  Files.move(renewed, link);
                }))
        .containsExactly(true, true);
  }

  @Test
  void run_ringsAgainWhenAFunctionGetsItsIommuGroup() throws IOException {
    var tree = new HostTree(directory);
    tree.v5p("0000:00:05.0", "5");
    Path link = tree.path("/sys/bus/pci/devices/0000:00:05.0/iommu_group");
    Path group = Files.readSymbolicLink(link);
    Files.delete(link);

    assertThat(rungAfter(tree, () -> {}, () -> Files.createSymbolicLink(link, group), () -> {}))
        .containsExactly(true, false, true, false);
  }

  @Test
  void run_listThatCannotBeHadHasNotChanged() throws IOException {
    var tree = new HostTree(directory);
    tree.v5p("0000:00:05.0", "5");
    Path devices = tree.path("/sys/bus/pci/devices");

    assertThat(
            rungAfter(
                tree,
                () -> Files.move(devices, tree.path("/elsewhere")),
                () -> Files.move(tree.path("/elsewhere"), devices)))
        .containsExactly(true, false, false);
  }
}
