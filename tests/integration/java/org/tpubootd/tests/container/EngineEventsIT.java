package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.container.EngineEvents;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.core.Time;
import org.tpubootd.testbed.FakeEngine;

/** Who is woken by what happens at the engine. */
class EngineEventsIT {

  @TempDir Path directory;
  private final List<String> rung = new CopyOnWriteArrayList<>();
  private FakeEngine engine;
  private Bench bench;
  private Thread follower;

  @BeforeEach
  void start() throws Exception {
    engine = FakeEngine.start(directory.resolve("engine.sock"));
    bench = new Bench(engine.address());
    bench.pass(vbar());
  }

  @AfterEach
  void stop() throws Exception {
    follower.interrupt();
    follower.join();
    bench.close();
    engine.close();
  }

  @Test
  void beginning_wakesAll() {
    follow();

    Awaitility.await().until(() -> rung.contains("all"));
  }

  @Test
  void defect_doesNotEndTheWatch() {
    var defects = new AtomicInteger(2);
    follow(() -> {
      if (defects.getAndDecrement() > 0) {
        throw new IllegalStateException("as the test wants it");
      }
      rung.add("all");
    });

    Awaitility.await().until(() -> rung.contains("all"));
  }

  @Test
  void endOfAContainer_wakesItsPart() {
    follow();
    Awaitility.await().until(() -> rung.contains("all"));
    // The events of the moment before, in which the container was started, are told again.
    Awaitility.await().until(() -> rung.contains("vbar"));
    rung.clear();

    engine.exit("tpu-bootd-vbar", 1, false);

    Awaitility.await().until(() -> rung.equals(List.of("vbar")));
  }

  @Test
  void foreignContainer_wakesNobody() {
    String foreign = engine.addForeign("somebody", true);
    follow();
    Awaitility.await().until(() -> rung.contains("vbar"));
    rung.clear();

    engine.exit(foreign, 1, false);
    engine.exit("tpu-bootd-vbar", 1, false);

    Awaitility.await().until(() -> rung.equals(List.of("vbar")));
  }

  @Test
  void engineComesBack_wakesAll() throws Exception {
    follow();
    Awaitility.await().until(() -> rung.contains("all"));
    engine.goAway();
    Awaitility.await().until(() -> rung.stream().filter("all"::equals).count() == 2);
    rung.clear();

    engine.comeBack();

    Awaitility.await().until(() -> rung.contains("all"));
  }

  @Test
  void engineComesLate_wakesAll() throws Exception {
    engine.goAway();
    follow();
    Awaitility.await().until(() -> rung.equals(List.of("all")));
    rung.clear();

    engine.comeBack();

    Awaitility.await().until(() -> rung.contains("all"));
    Awaitility.await().until(() -> engine.received("GET", "/events").size() == 1);
  }

  @Test
  void engineAway_passesAreToldWhyAndMakeNoCall() throws Exception {
    var vbar = bench.supervise(vbar());
    engine.goAway();
    try (var rude = new RudeSocket(directory.resolve("engine.sock"))) {
      followWithoutASecondLook();
      Awaitility.await().until(() -> rung.contains("all"));
      int calls = rude.calls();

      Finding found = bench.pass(vbar);

      assertThat(found.state()).isEqualTo(State.WAITING);
      assertThat(found.cause())
          .startsWith("cannot list the containers: the engine at " + engine.address())
          .contains("broke the connection");
      assertThat(rude.calls()).isEqualTo(calls);
    }
  }

  @Test
  void engineAway_lookedForByOneThatIsEnded_isCalledAgain() throws Exception {
    var vbar = bench.supervise(vbar());
    engine.goAway();
    followWithoutASecondLook();
    Awaitility.await().until(() -> bench.pass(vbar).state() == State.WAITING);
    engine.comeBack();
    assertThat(bench.pass(vbar).state()).as("nobody has looked yet").isEqualTo(State.WAITING);

    follower.interrupt();
    follower.join();

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void engineRestartedWhileANewSpecIsOnTrial_newOneGoesOn() throws Exception {
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    var clock = new Bench.ShiftedTime();
    follow(() -> rung.add("all"), clock);
    Awaitility.await().until(() -> rung.contains("all"));
    clock.forward(Duration.ofMinutes(1));
    rung.clear();

    engine.restart();
    Awaitility.await().until(() -> rung.contains("all"));
    Awaitility.await().until(() -> bench.pass(changed).state() == State.OK);

    assertThat(engine.runs("tpu-bootd-vbar-next")).isTrue();
    assertThat(engine.runs("tpu-bootd-vbar")).isFalse();
    assertThat(Bench.fact(bench.pass(changed), "lastEnds").toString()).contains("engineWent=true");
  }

  /** It would excuse every end. */
  @Test
  void eventsBreakOffAllTheTime_newSpecThatEndsOnItsTrialHasFailed() throws Exception {
    var changed = bench.supervise(vbar().command("--new"));
    bench.pass(changed);
    follow();
    Awaitility.await().until(() -> rung.contains("all"));
    rung.clear();
    engine.cutEvents();
    Awaitility.await().until(() -> rung.contains("all"));

    engine.exit("tpu-bootd-vbar-next", 2, false);

    assertThat(bench.pass(changed).summary()).startsWith("runs with its old specification");
  }

  @Test
  void engineThatBreaksOneCall_isNotAway() throws Exception {
    var vbar = bench.supervise(vbar());
    follow();
    Awaitility.await().until(() -> rung.contains("all"));
    engine.exit("tpu-bootd-vbar", 1, false);
    engine.faults().drop("/start");
    assertThat(bench.pass(vbar).state()).isEqualTo(State.WAITING);

    engine.faults().clear();

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void hungEngine_isLeftAgainInTime() {
    engine.faults().hang("/events");
    follow();
    Awaitility.await().until(() -> engine.received("GET", "/events").size() >= 2);
    assertThat(rung).isEmpty();

    engine.faults().clear();

    Awaitility.await().until(() -> rung.contains("all"));
  }

  private void follow() {
    follow(() -> rung.add("all"));
  }

  private void follow(Runnable ringAll) {
    follow(ringAll, Time.system());
  }

  /** One whose pause after the first look has no end. */
  private void followWithoutASecondLook() {
    follow(
        () -> rung.add("all"),
        new Bench.ShiftedTime() {
          @Override
          public void sleep(Duration duration) throws InterruptedException {
            new CountDownLatch(1).await();
          }
        });
  }

  private void follow(Runnable ringAll, Time time) {
    follower =
        Thread.ofVirtual()
            .start(
                new EngineEvents(
                    bench.engine, Duration.ofMillis(500), rung::add, ringAll, time, new Random(1)));
  }
}
