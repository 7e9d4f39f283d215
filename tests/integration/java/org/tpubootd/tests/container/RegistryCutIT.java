package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.tests.Measured;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.RealRegistry;

/** A registry that is cut off at any byte of a pull. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.REGISTRY, Part.ROOT})
class RegistryCutIT {

  /** The engine waits 5 s before it gives up, so four containers are at it side by side. */
  private static final List<String> PARTS = List.of("vbar", "telemetry", "third", "fourth");

  private static final int TIMES_EACH = 5;

  /** What the JVM opens when it sees fit, such as what it waits on for sockets. */
  private static final int OF_THE_JVM = 5;

  private static RealEngine engine;
  private static RealRegistry registry;

  @TempDir Path directory;

  @BeforeAll
  static void startPartsAndPush() throws Exception {
    // By default it tries five times, for 50 s; RegistryIT has what comes of that.
    engine = RealEngine.start("--max-download-attempts=1", "--max-concurrent-downloads=20");
    registry = RealRegistry.start();
    for (String part : PARTS) {
      engine.makeImage("made:1", 4, 2);
      registry.push(engine, "made:1", "p/" + part + ":1");
    }
    engine.removeOtherImages();
  }

  @AfterAll
  static void stopParts() throws Exception {
    if (registry != null) {
      registry.close();
    }
    if (engine != null) {
      engine.close();
    }
  }

  @Test
  void cutAtRandomBytes_eachTimeToldAndHealedWhenItIsBack() throws Exception {
    long seed = new Random().nextLong();
    Measured.tell("registry cut at random bytes, seed", seed);
    ContainersConfig limits =
        Limits.of(directory, "call-deadline: 20s", "pull-stall: 20s", "stop-timeout: 2s");
    // Once before, so that the JVM has opened what it keeps.
    new Cuts(PARTS.getFirst(), limits, seed).make(1);
    long descriptors = openDescriptors();
    var told = new TreeMap<String, Integer>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Map<String, Integer>>> all =
          PARTS.stream()
              .<Callable<Map<String, Integer>>>map(
                  part -> () -> new Cuts(part, limits, seed).make(TIMES_EACH))
              .toList();
      for (Future<Map<String, Integer>> cuts : threads.invokeAll(all)) {
        cuts.get().forEach((words, times) -> told.merge(words, times, Integer::sum));
      }
    }
    Measured.tell("registry cut, how the engine puts it", told);

    assertThat(engine.docker("ps", "--all", "--quiet")).isEmpty();
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(openDescriptors())
                .as("file descriptors")
                .isLessThanOrEqualTo(descriptors + OF_THE_JVM));
  }

  /** The cuts of one container's pulls. */
  private record Cuts(String part, ContainersConfig limits, long seed) {

    Map<String, Integer> make(int times) throws Exception {
      var random = new Random(seed + PARTS.indexOf(part));
      var told = new TreeMap<String, Integer>();
      try (var proxy = new CuttingProxy(registry.port());
          var bench = new Bench(engine.address(), limits)) {
        String image = proxy.address() + "/p/" + part + ":1";
        var one = vbar().name(part).image(image).unprivileged();
        assertThat(bench.pass(one).state()).isEqualTo(State.OK);
        long whole = proxy.passed();
        forget(image);
        for (int i = 0; i < times; i++) {
          // Two in the kilobytes of the manifest, which few random bytes would hit.
          long at = random.nextLong(i < 2 ? 4_000 : whole - 4_000);
          String which = "seed " + seed + ", " + part + ", cut at byte " + at + " of " + whole;
          proxy.cutAfter(at, random.nextBoolean());
          var supervised = bench.supervise(one);

          Finding cut = bench.pass(supervised);

          assertThat(proxy.cut()).as(which).isTrue();
          assertThat(cut.state()).as(which + cut).isEqualTo(State.FAILED);
          assertThat(cut.summary()).as(which + cut).isEqualTo("the image cannot be pulled");
          assertThat(cut.action()).as(which + cut).contains("the VM reaches the registry");
          assertThat(containers()).as(which).isEmpty();
          told.merge(kind(cut.cause()), 1, Integer::sum);

          proxy.mend();
          bench.time.forward(Duration.ofMinutes(1));
          Finding healed = bench.pass(supervised);
          assertThat(healed.state()).as(which + healed).isEqualTo(State.OK);
          assertThat(containers()).as(which).hasSize(1);
          forget(image);
        }
      }
      return told;
    }

    /** The engine's words without names, ports and digests. */
    private static String kind(String cause) {
      var words =
          Pattern.compile("unexpected EOF|EOF|connection reset|transport connection broken");
      return words.matcher(cause).results().map(MatchResult::group).findFirst().orElse(cause);
    }

    private List<String> containers() throws Exception {
      String label = "--filter=label=org.tpubootd.part=" + part;
      return engine.docker("ps", "--all", "--quiet", label).lines().toList();
    }

    private void forget(String image) throws Exception {
      var words = new ArrayList<>(List.of("rm", "--force"));
      words.addAll(containers());
      engine.docker(words.toArray(String[]::new));
      engine.docker("image", "rm", image);
    }
  }

  private static long openDescriptors() throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.count();
    }
  }
}
