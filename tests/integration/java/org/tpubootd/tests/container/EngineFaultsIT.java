package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.testbed.FakeEngine;

/** An engine that is away, hangs, breaks off, or speaks another version. */
class EngineFaultsIT extends OnFakeEngine {

  @Test
  void absent_waitsAndRecoversByItself() throws Exception {
    engine.goAway();
    var vbar = bench.supervise(vbar());

    Finding away = bench.pass(vbar);
    assertThat(away.state()).isEqualTo(State.WAITING);
    assertThat(away.cause()).contains(engine.address()).contains("no such socket");

    engine.comeBack();
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void socketLeftBehind_waits() throws Exception {
    engine.goAway();
    try (var dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(
          UnixDomainSocketAddress.of(Path.of(engine.address().substring("unix://".length()))));
    }

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.WAITING);
    assertThat(found.cause()).contains("nobody listens at the socket");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_ping",
        "/containers/json",
        "/images/gcr.io",
        "/images/create",
        "/containers/create",
        "/start",
      })
  void hung_passEndsInTimeAndTheNextOneHeals(String path) throws Exception {
    engine.faults().hang(path);
    try (var hasty = new Bench(engine.address(), Duration.ofMillis(500))) {
      var vbar = hasty.supervise(vbar());

      Finding hung = hasty.pass(vbar);
      assertThat(hung.state()).isIn(State.WAITING, State.FAILED);
      assertThat(hung.cause())
          .containsAnyOf("did not answer within 500 ms", "nothing came for 1 s");

      engine.faults().clear();
      // Not by one pass: on a busy machine a good engine may need longer than that, too.
      Awaitility.await()
          .untilAsserted(() -> {
            hasty.time.forward(Duration.ofMinutes(1));
            assertThat(hasty.pass(vbar).state()).isEqualTo(State.OK);
          });
      assertThat(engine.names()).containsExactly("tpu-bootd-vbar");
    }
  }

  @Test
  void hung_leavesNoThreadsAndNoConnections() throws Exception {
    bench.close();
    bench = new Bench(engine.address(), Duration.ofMillis(500));
    bench.pass(vbar());
    long descriptors = openDescriptors();

    engine.faults().hang("/images/create");
    bench.pass(vbar().name("telemetry").image("gcr.io/p/telemetry:1"));
    engine.faults().hang("/containers/json");
    for (int i = 0; i < 4; i++) {
      assertThat(bench.pass(vbar()).state()).isEqualTo(State.WAITING);
    }

    Awaitility.await().until(() -> streamThreads().isEmpty());
    // What the fake's side keeps open for calls that hang goes with the faults.
    engine.faults().clear();
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(openDescriptors())
                .as("open file descriptors")
                .isLessThanOrEqualTo(descriptors));
  }

  @Test
  void manyPasses_leaveNothingOpen() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    long descriptors = openDescriptors();

    for (int i = 0; i < 30; i++) {
      engine.exit("tpu-bootd-vbar", 1, false);
      bench.time.forward(Duration.ofMinutes(5));
      assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    }

    Awaitility.await()
        .untilAsserted(() -> {
          assertThat(streamThreads()).isEmpty();
          assertThat(openDescriptors()).isLessThanOrEqualTo(descriptors);
        });
  }

  @Test
  void restarted_theFirstCallThatChangesSomethingSucceeds() throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    engine.restart();

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/start")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/_ping", "/containers/json", "/images/create", "/create", "/start"})
  void connectionBroken_waitsAndHeals(String path) throws Exception {
    engine.faults().drop(path);
    var vbar = bench.supervise(vbar());
    assertThat(bench.pass(vbar).state()).isEqualTo(State.WAITING);
    engine.faults().clear();

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void slow_isNoFault() throws Exception {
    engine.faults().slow(Duration.ofMillis(100));

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
  }

  @Test
  void error_toldInTheEnginesWords() throws Exception {
    engine.faults().fail("/containers/json", 500, "layer does not exist");

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause())
        .isEqualTo(
            "cannot list the containers: the engine at %s answered 500: layer does not exist"
                .formatted(engine.address()));
  }

  @ParameterizedTest(name = "API {0} to {1} is spoken to in {2}")
  @CsvSource({"1.12, 1.41, 1.41", "1.24, 1.44, 1.44", "1.44, 1.52, 1.44", "1.46, 1.60, 1.46"})
  void version_newestThatBothKnow(String oldest, String newest, String spoken) throws Exception {
    engine.faults().api(oldest, newest);

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(
            engine.received().stream()
                .filter(one -> !one.path().equals("/_ping") && !one.path().equals("/version"))
                .map(FakeEngine.Received::version)
                .distinct())
        .containsExactly(spoken);
  }

  @ParameterizedTest
  @CsvSource({"1.44, 1.52", "1.12, 1.40"})
  void version_engineExchangedBehindOurBack(String oldest, String newest) throws Exception {
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    engine.faults().api(oldest, newest);

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:2375", "ssh://host", "http://localhost", "", "unix://x"})
  void otherAddress_toldAndNoCrash(String address) throws Exception {
    try (var other = new Bench(address)) {
      Finding found = other.pass(vbar());

      assertThat(found.state()).isEqualTo(State.FAILED);
      assertThat(found.cause()).contains("is not of the form unix:///path/to/socket");
      assertThat(found.action()).contains("DOCKER_HOST");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"unix:///no such", "unix:///a%20b", "unix:///a?b", "unix:///a#b"})
  void addressThatIsNone_toldAndNoCrash(String address) throws Exception {
    try (var other = new Bench(address)) {
      Finding found = other.pass(vbar());

      assertThat(found.state()).isEqualTo(State.FAILED);
      assertThat(found.summary()).isEqualTo("the engine's address is not supported");
      assertThat(found.cause()).contains(address);
      assertThat(new ContainerStop(other.engine, other.limits).stopAll())
          .singleElement()
          .asString()
          .contains(address);
    }
  }

  @Test
  void stopAll_hungEngineIsToldInTime() throws Exception {
    bench.pass(vbar());
    engine.faults().hang("/stop");

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll())
        .singleElement()
        .asString()
        .contains("did not answer within");
  }

  /** The threads that docker-java reads streams on. */
  private static List<String> streamThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("docker-java"))
        .toList();
  }

  private static long openDescriptors() throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.count();
    }
  }
}
