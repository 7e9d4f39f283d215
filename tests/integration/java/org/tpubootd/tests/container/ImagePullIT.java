package org.tpubootd.tests.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.container.RegistryLogin.Credentials;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.testbed.FakeEngine;
import org.tpubootd.testbed.FakeEngine.Received;

/** How images are pulled, and who is shown the VM's token. */
class ImagePullIT {

  private static final String TOKEN = "ya29.very-secret";

  @TempDir Path directory;
  private FakeEngine engine;
  private Bench bench;

  @BeforeEach
  void start() throws Exception {
    engine = FakeEngine.start(directory.resolve("engine.sock"));
    bench = new Bench(engine.address());
    bench.login = _ -> Optional.of(new Credentials("oauth2accesstoken", TOKEN));
  }

  @AfterEach
  void stop() throws Exception {
    bench.close();
    engine.close();
  }

  @ParameterizedTest
  @CsvSource({
    "gcr.io/p/vbar:1, gcr.io",
    "us-docker.pkg.dev/p/r/vbar@sha256:0123, us-docker.pkg.dev",
  })
  void googlesRegistry_getsTheToken(String image, String registry) throws Exception {
    assertThat(bench.pass(vbar().image(image)).state()).isEqualTo(State.OK);

    assertThat(bench.loginsAskedFor).containsExactly(registry);
    assertThat(onlyPull().headers()).containsKey("x-registry-auth");
    assertThat(new String(Base64.getUrlDecoder().decode(auth()), UTF_8))
        .contains("\"username\":\"oauth2accesstoken\"")
        .contains("\"password\":\"" + TOKEN + "\"")
        .contains("\"" + registry + "\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vbar:1",
        "ghcr.io/p/vbar:1",
        "gcr.io.evil.com/p/vbar:1",
        "evil.gcr.io/p/vbar:1",
        "gcr.io:443/p/vbar:1",
        "127.0.0.1:5000/gcr.io/vbar:1",
        "x.us-docker.pkg.dev/p/vbar:1",
      })
  void otherRegistry_getsNoToken(String image) throws Exception {
    assertThat(bench.pass(vbar().image(image)).state()).isEqualTo(State.OK);

    assertThat(bench.loginsAskedFor).isEmpty();
    assertThat(onlyPull().headers()).doesNotContainKey("x-registry-auth");
  }

  @Test
  void token_nowhereButInTheHeaderOfThePull() throws Exception {
    engine.faults().failPulls("unauthorized: no");
    var vbar = bench.supervise(vbar());
    Finding failed = bench.pass(vbar);
    engine.faults().clear();
    Finding found = bench.pass(bench.supervise(vbar()));

    assertThat(failed.toString() + found + bench.progress)
        .doesNotContain(TOKEN)
        .contains("tried with the token of the VM's service account");
    for (Received one : engine.received()) {
      String elsewhere = one.path() + one.query() + one.body();
      assertThat(elsewhere).doesNotContain(TOKEN);
      if (!one.path().equals("/images/create")) {
        assertThat(one.headers()).doesNotContainKey("x-registry-auth");
      }
    }
  }

  @Test
  void noServiceAccount_pulledWithoutLogIn() throws Exception {
    bench.login = _ -> Optional.empty();

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(onlyPull().headers()).doesNotContainKey("x-registry-auth");
  }

  @Test
  void logInCannotBeHad_pulledWithoutAndToldIfThatFails() throws Exception {
    bench.login =
        _ -> {
          throw new IOException("the metadata server answered 503");
        };
    engine.faults().failPulls("unauthorized: authentication required");

    assertThat(bench.pass(vbar()).cause())
        .contains("authentication required")
        .contains("the metadata server answered 503");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unauthorized: authentication required      | artifactregistry.reader
          manifest for x not found: manifest unknown | name and tag
          dial tcp: lookup gcr.io: no such host      | route, DNS, firewall
          no space left on device                    | make room
          """)
  void errorInTheStream_toldWithWhatToDo(String error, String advice) throws Exception {
    engine.faults().failPulls(error);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary()).isEqualTo("the image cannot be pulled");
    assertThat(found.cause()).startsWith(TestConfigs.VBAR_IMAGE + ": " + error);
    assertThat(found.action()).contains(advice);
    assertThat(engine.names()).isEmpty();
  }

  @Test
  void errorBeforeTheStream_toldAsWell() throws Exception {
    engine.faults().fail("/images/create", 404, "pull access denied for p/vbar");

    Finding found = bench.pass(vbar());

    assertThat(found.cause()).contains("pull access denied");
    assertThat(found.action()).contains("artifactregistry.reader");
  }

  @Test
  void stalledPull_givenUp() throws Exception {
    engine.faults().stallPulls();

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("nothing came for 1 s (0 of 3 layers, 20 of 40 MB)");
  }

  @Test
  void pullThatEndsWellWithoutTheImage_isAFailureAndWaitsItsTurn() throws Exception {
    engine.faults().losePulls();
    var vbar = bench.supervise(vbar());

    Finding found = bench.pass(vbar);
    bench.pass(vbar);

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).endsWith("the engine says that it is done, and has no such image");
    assertThat(engine.received("POST", "/images/create")).hasSize(1);
  }

  @Test
  void failedPull_triedAgainLaterAndNotByEveryPass() throws Exception {
    engine.faults().failPulls("dial tcp: no such host");
    var vbar = bench.supervise(vbar());
    bench.pass(vbar);
    bench.pass(vbar);
    bench.pass(vbar);
    int tried = engine.received("POST", "/images/create").size();
    engine.faults().clear();
    bench.time.forward(Duration.ofMinutes(1));

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(tried).isLessThan(3);
  }

  @Test
  void registryAwayForLong_itsBeginningAndItsEndAreLogged() throws Exception {
    engine.faults().failPulls("dial tcp: no such host");
    var vbar = bench.supervise(vbar());
    List<String> logged;
    try (var log = new LogLines()) {
      for (int pass = 0; pass < 4; pass++) {
        bench.pass(vbar);
        bench.time.forward(Duration.ofMinutes(1));
      }
      engine.faults().clear();
      bench.pass(vbar);
      logged = log.lines();
    }

    assertThat(engine.received("POST", "/images/create")).hasSize(5);
    assertThat(logged)
        .filteredOn(line -> line.contains(": pull"))
        .containsExactly(
            "container/vbar: pulling " + TestConfigs.VBAR_IMAGE,
            "container/vbar: pulled " + TestConfigs.VBAR_IMAGE);
  }

  @Test
  void progress_isTold() throws Exception {
    bench.pass(vbar());

    assertThat(bench.progress)
        .first()
        .satisfies(finding -> {
          assertThat(finding.state()).isEqualTo(State.WAITING);
          assertThat(finding.summary())
              .isEqualTo("pulling " + TestConfigs.VBAR_IMAGE + ": its layers are not known yet");
        });
  }

  @Test
  void burstAndThenSilence_theEndOfTheBurstIsTold() throws Exception {
    engine.faults().stallPulls();

    bench.pass(vbar());

    assertThat(bench.progress)
        .last()
        .extracting(Finding::summary)
        .isEqualTo("pulling " + TestConfigs.VBAR_IMAGE + ": 0 of 3 layers, 20 of 40 MB");
  }

  @Test
  void imageThere_notPulled() throws Exception {
    engine.addImage(TestConfigs.VBAR_IMAGE);

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/create")).isEmpty();
  }

  @Test
  void always_pulledOnceThoughTheImageIsThere() throws Exception {
    engine.addImage(TestConfigs.VBAR_IMAGE);
    var vbar = bench.supervise(vbar().pull(Pull.ALWAYS));
    bench.pass(vbar);
    engine.exit("tpu-bootd-vbar", 1, false);

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/create")).hasSize(1);
  }

  @Test
  void alwaysAndTheRegistryIsAway_whatIsThereIsStartedAndItIsSaid() throws Exception {
    engine.addImage(TestConfigs.VBAR_IMAGE);
    engine.faults().failPulls("dial tcp: lookup gcr.io: no such host");

    Finding found = bench.pass(vbar().pull(Pull.ALWAYS));

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes()).singleElement().asString().contains("no such host");
  }

  /** The other's pull is no pull of ours when it has failed. */
  @Test
  void alwaysForTwoContainersAndTheRegistryIsAway_bothSayIt() throws Exception {
    engine.addImage(TestConfigs.VBAR_IMAGE);
    engine.faults().stallPulls();
    var one = bench.supervise(vbar().pull(Pull.ALWAYS));
    var other = bench.supervise(vbar().name("telemetry").pull(Pull.ALWAYS));
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Finding> first = () -> ControlLoop.look(one, _ -> {});
      Callable<Finding> second = () -> ControlLoop.look(other, _ -> {});
      for (var pass : List.of(threads.submit(first), threads.submit(second))) {
        assertThat(pass.get().state()).isEqualTo(State.OK);
        assertThat(pass.get().notes()).singleElement().asString().contains("nothing came");
      }
    }
  }

  @Test
  void alwaysAndTheEngineGoesAwayWhilePulling_pulledWhenItIsBack() throws Exception {
    engine.addImage(TestConfigs.VBAR_IMAGE);
    engine.faults().drop("/images/create");
    var vbar = bench.supervise(vbar().pull(Pull.ALWAYS));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.WAITING);
    int tried = engine.received("POST", "/images/create").size();
    engine.faults().clear();

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/create")).hasSize(tried + 1);
  }

  @Test
  void alwaysAndANewerImage_stoppedContainerMadeAnew() throws Exception {
    Finding before = bench.pass(vbar().pull(Pull.ALWAYS));
    engine.exit("tpu-bootd-vbar", 0, false);

    Finding after = bench.pass(vbar().pull(Pull.ALWAYS));

    assertThat(after.state()).isEqualTo(State.OK);
    assertThat(Bench.fact(after, "imageId")).isNotEqualTo(Bench.fact(before, "imageId"));
  }

  @Test
  void twoContainersOfOneImage_pulledOnce() throws Exception {
    engine.faults().stallPulls();
    var one = bench.supervise(vbar());
    var other = bench.supervise(vbar().name("telemetry"));
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Finding> first = () -> ControlLoop.look(one, _ -> {});
      Callable<Finding> second = () -> ControlLoop.look(other, bench.progress::add);
      var running = List.of(threads.submit(first), threads.submit(second));
      Awaitility.await()
          .until(() -> engine.received("GET", "/images/" + TestConfigs.VBAR_IMAGE).size() >= 2);
      engine.faults().clear();
      for (var pass : running) {
        assertThat(pass.get().state()).isEqualTo(State.OK);
      }
    }
    assertThat(engine.received("POST", "/images/create")).hasSize(1);
  }

  private Received onlyPull() {
    assertThat(engine.received("POST", "/images/create")).hasSize(1);
    return engine.received("POST", "/images/create").getFirst();
  }

  private String auth() {
    return onlyPull().headers().get("x-registry-auth");
  }
}
