package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.RealRegistry;
import org.tpubootd.tests.container.TestConfigs.One;

/** Pulls of a real engine from a real registry. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.REGISTRY, Part.ROOT})
class RegistryIT {

  private static final String VBAR = "tpu-bootd-vbar";

  private static RealEngine engine;
  private static RealRegistry registry;
  private static String digest;

  @TempDir Path directory;
  private CuttingProxy proxy;
  private Bench bench;

  @BeforeAll
  static void startPartsAndPush() throws Exception {
    engine = RealEngine.start();
    registry = RealRegistry.start();
    engine.makeImage("made:1", 4, 2);
    digest = registry.push(engine, "made:1", "p/vbar:1");
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

  @BeforeEach
  void start() throws Exception {
    proxy = new CuttingProxy(registry.port());
    bench =
        new Bench(
            engine.address(),
            Limits.of(directory, "call-deadline: 10s", "pull-stall: 20s", "stop-timeout: 2s"));
  }

  @AfterEach
  void stop() throws Exception {
    bench.close();
    proxy.close();
    registry.comeBack();
    engine.removeContainers();
    engine.removeOtherImages();
  }

  @Test
  void missingImage_pulledByTagAndStarted() throws Exception {
    Finding found = bench.pass(pulled("/p/vbar:1"));

    assertThat(found.state()).as(found.toString()).isEqualTo(State.OK);
    assertThat(engine.docker("inspect", "--format={{.Config.Image}}", VBAR))
        .isEqualTo(registry.address() + "/p/vbar:1");
  }

  @Test
  void slowPull_tellsLayersAndBytesAsItGoes() throws Exception {
    proxy.slow(Duration.ofMillis(10));

    bench.pass(vbar().image(proxy.address() + "/p/vbar:1").unprivileged());

    assertThat(bench.progress)
        .allSatisfy(finding -> assertThat(finding.state()).isEqualTo(State.WAITING))
        .extracting(Finding::summary)
        .anyMatch(text -> text.matches("pulling .*/p/vbar:1: \\d of 5 layers, \\d of \\d MB"));
  }

  @Test
  void missingImage_pulledByDigestAndFoundByItAgain() throws Exception {
    One byDigest = pulled("/p/vbar@" + digest);
    assertThat(bench.pass(byDigest).state()).isEqualTo(State.OK);
    engine.docker("rm", "--force", VBAR);
    int asked = registry.requests(200).size();

    Finding found = bench.pass(byDigest);

    assertThat(found.state()).as(found.toString()).isEqualTo(State.OK);
    assertThat(registry.requests(200)).hasSize(asked);
  }

  @Test
  void missingTag_isNotFoundAndSaysWhatToCheck() throws Exception {
    Finding found = bench.pass(pulled("/p/vbar:none"));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary()).isEqualTo("the image cannot be pulled");
    assertThat(found.cause()).contains("/p/vbar:none", "manifest unknown");
    assertThat(found.action()).contains("name and tag");
  }

  @Test
  void missingRepository_isNotFound() throws Exception {
    assertThat(bench.pass(pulled("/nobody/knows:1")).action()).contains("name and tag");
  }

  @Test
  void missingDigest_isNotFound() throws Exception {
    Finding found = bench.pass(pulled("/p/vbar@sha256:" + "0".repeat(64)));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.action()).contains("name and tag");
  }

  @Test
  void registryAway_isTheNetworkAndHealsWhenItIsBack() throws Exception {
    registry.kill();
    var vbar = bench.supervise(pulled("/p/vbar:1"));

    Finding found = bench.pass(vbar);
    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("connection refused");
    assertThat(found.action()).contains("reaches the registry");

    registry.comeBack();
    bench.time.forward(Duration.ofMinutes(1));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void registryThatTakesConnectionsAndEndsThem_isTheNetwork() throws Exception {
    proxy.cutAfter(0, false);

    Finding found = bench.pass(vbar().image(proxy.address() + "/p/vbar:1").unprivileged());

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.action()).as(found.cause()).contains("reaches the registry");
  }

  @Test
  void engineThatTriesAgainAndAgain_isGivenUpByTheStallGuard() throws Exception {
    bench.close();
    bench = new Bench(engine.address(), Limits.of(directory, "pull-stall: 2s"));
    proxy.cutAfter(3 << 20, true);
    var vbar = bench.supervise(vbar().image(proxy.address() + "/p/vbar:1").unprivileged());

    Finding found = bench.pass(vbar);

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("nothing came for 2 s");
    assertThat(found.action()).contains("the registry");
  }

  @Test
  void registryThatSaysNoMore_isGivenUpByTheStallGuardAndHeals() throws Exception {
    bench.close();
    bench = new Bench(engine.address(), Limits.of(directory, "pull-stall: 3s"));
    proxy.holdAfter(3 << 20);
    var vbar = bench.supervise(vbar().image(proxy.address() + "/p/vbar:1").unprivileged());

    Finding found = bench.pass(vbar);
    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).containsPattern("nothing came for 3 s \\(\\d of 5 layers, \\d of");

    proxy.mend();
    bench.time.forward(Duration.ofMinutes(1));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void alwaysAndTheRegistryIsAway_whatIsThereIsStartedAndItIsSaid() throws Exception {
    One always = pulled("/p/vbar:1").pull(Pull.ALWAYS);
    bench.pass(always);
    engine.docker("rm", "--force", VBAR);
    registry.kill();

    Finding found = bench.pass(always);

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .singleElement()
        .asString()
        .contains("what is on this host is used")
        .contains("connection refused");
  }

  @Test
  void alwaysAndANewerImage_theNewerIsStarted() throws Exception {
    engine.makeImage("made:2", 1, 1);
    registry.push(engine, "made:2", "p/moving:latest");
    One always = pulled("/p/moving:latest").pull(Pull.ALWAYS);
    bench.pass(always);
    String before = engine.docker("inspect", "--format={{.Image}}", VBAR);
    engine.docker("rm", "--force", VBAR);
    engine.makeImage("made:3", 1, 1);
    engine.docker("image", "rm", registry.address() + "/p/moving:latest");
    registry.push(engine, "made:3", "p/moving:latest");

    assertThat(bench.pass(always).state()).isEqualTo(State.OK);

    assertThat(engine.docker("inspect", "--format={{.Image}}", VBAR)).isNotEqualTo(before);
  }

  @Test
  void logInAskedForByARegistryThatIsNotGoogles_isAuthAndSaysWhy() throws Exception {
    try (var closed = registry.startWithLogIn()) {
      Finding found = bench.pass(vbar().image(closed.address() + "/p/vbar:1").unprivileged());

      assertThat(found.state()).isEqualTo(State.FAILED);
      assertThat(found.cause())
          .contains("no basic auth credentials")
          .contains("tried without log-in: " + closed.address() + " is not Google's");
      assertThat(found.action()).contains("artifactregistry.reader");
      assertThat(bench.loginsAskedFor).isEmpty();
    }
  }

  @Test
  void twoContainersOfOneImage_onePullAtTheRegistry() throws Exception {
    String image = proxy.address() + "/p/vbar:1";
    var one = bench.supervise(vbar().image(image).unprivileged());
    var other = bench.supervise(vbar().name("telemetry").image(image).unprivileged());
    var told = new CopyOnWriteArrayList<String>();
    Consumer<Finding> tell = finding -> told.add(finding.summary());
    int before = registry.requests(200).size();
    proxy.holdAfter(1 << 20);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Finding> first = () -> ControlLoop.look(one, _ -> {});
      Callable<Finding> second = () -> ControlLoop.look(other, tell);
      var passes = List.of(threads.submit(first), threads.submit(second));
      // Both are in the pull by then, and one of them waits for the other.
      Awaitility.await().until(proxy::holds);
      proxy.mend();
      for (var pass : passes) {
        assertThat(pass.get().state()).isEqualTo(State.OK);
      }
    }

    List<String> asked = registry.requests(200).stream().skip(before).toList();
    assertThat(asked).filteredOn(line -> line.startsWith("HEAD")).hasSize(1);
    assertThat(asked)
        .filteredOn(line -> line.contains("/blobs/"))
        .as("the four layers that are not here yet and the image's configuration, once each")
        .hasSize(5)
        .doesNotHaveDuplicates();
    assertThat(engine.docker("ps", "--quiet").lines()).hasSize(2);
  }

  private static One pulled(String repository) {
    return vbar().image(registry.address() + repository).unprivileged();
  }
}
