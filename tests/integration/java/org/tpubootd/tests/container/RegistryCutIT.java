package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.RealRegistry;

/** A registry that is cut off at any byte of a pull. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.REGISTRY, Part.ROOT})
class RegistryCutIT {

  private static final int TIMES = 20;

  private static RealEngine engine;
  private static RealRegistry registry;

  @BeforeAll
  static void startPartsAndPush() throws Exception {
    // Else the engine itself tries five times, for 50 s; RegistryIT has what comes of that.
    engine = RealEngine.start("--max-download-attempts=1");
    registry = RealRegistry.start();
    engine.makeImage("made:1", 4, 2);
    registry.push(engine, "made:1", "p/vbar:1");
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
  void cutAtRandomBytes_eachTimeToldAndHealedWhenItIsBack(
      @TempDir Path directory, TestReporter reporter) throws Exception {
    long seed = new Random().nextLong();
    reporter.publishEntry("seed", String.valueOf(seed));
    var random = new Random(seed);
    var limits = Limits.of(directory, "call-deadline: 10s", "pull-stall: 20s", "stop-timeout: 2s");
    var told = new TreeMap<String, Integer>();
    var bytes = new ArrayList<Long>();
    try (var proxy = new CuttingProxy(registry.port());
        var bench = new Bench(engine.address(), limits)) {
      var one = vbar().image(proxy.address() + "/p/vbar:1").unprivileged();
      assertThat(bench.pass(one).state()).isEqualTo(State.OK);
      long whole = proxy.passed();
      forgetTheImage();
      long descriptors = openDescriptors();

      for (int i = 0; i < TIMES; i++) {
        // Every fifth in the first kilobytes, where the manifest is: bytes of layers are many more.
        long at = random.nextLong(i % 5 == 0 ? 4_000 : whole - 4_000);
        bytes.add(at);
        proxy.cutAfter(at, random.nextBoolean());
        var vbar = bench.supervise(one);

        Finding cut = bench.pass(vbar);

        String which = "seed " + seed + ", cut " + i + " at byte " + at + ": " + cut;
        assertThat(proxy.cut()).as(which).isTrue();
        assertThat(cut.state()).as(which).isEqualTo(State.FAILED);
        assertThat(cut.summary()).as(which).isEqualTo("the image cannot be pulled");
        assertThat(cut.action()).as(which).contains("the VM reaches the registry");
        assertThat(engine.docker("ps", "--all", "--quiet")).as(which).isEmpty();
        told.merge(cut.cause().replaceFirst(".*[:\"] ", ""), 1, Integer::sum);

        proxy.mend();
        bench.time.forward(Duration.ofMinutes(1));
        assertThat(bench.pass(vbar).state()).as(which).isEqualTo(State.OK);
        assertThat(engine.docker("ps", "--all", "--quiet").lines()).as(which).hasSize(1);
        forgetTheImage();
      }

      Awaitility.await()
          .untilAsserted(() ->
              assertThat(openDescriptors())
                  .as("file descriptors")
                  .isLessThanOrEqualTo(descriptors));
    }
    reporter.publishEntry("cut at", bytes.toString());
    reporter.publishEntry("told", told.toString());
  }

  private static void forgetTheImage() throws Exception {
    engine.removeContainers();
    engine.removeOtherImages();
  }

  private static long openDescriptors() throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.count();
    }
  }
}
