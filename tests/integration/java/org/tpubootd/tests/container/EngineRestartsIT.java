package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.tests.Measured;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;

/** An engine that goes and comes back, under the whole daemon. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.ROOT})
class EngineRestartsIT {

  @TempDir Path work;

  @Test
  void restarted20Times_eachTimeBothRunAgainAndNothingIsLeftOver() throws Exception {
    RealEngine engine = RealEngine.start();
    try (var daemon = new DaemonOnRealEngine(engine, work)) {
      daemon.awaitReady();
      List<String> ids = ids(daemon);
      var before = daemon.holds();
      var took = new ArrayList<Long>();
      for (int i = 0; i < 20; i++) {
        List<String> runs = daemon.runs();
        engine.stop();
        engine.comeBack();
        long back = System.nanoTime();
        daemon.awaitBothRunAgain(runs);
        took.add(Duration.ofNanos(System.nanoTime() - back).toMillis());
      }

      daemon.assertAllAsBefore(before);
      assertThat(ids(daemon)).as("started again, not made anew").isEqualTo(ids);
      Measured.tell(
          "engine restarted, until both run again, sorted, ms", took.stream().sorted().toList());
      Measured.tell("engine restarted, held before and after", before + " " + daemon.holds());
    } finally {
      engine.close();
    }
  }

  /** At any moment from the making of the new one on: such an end is not its failure. */
  @Test
  void restartedWhileANewSpecTakesOver_itGoesOnAndStays() throws Exception {
    RealEngine engine = RealEngine.start();
    long seed = System.nanoTime();
    var random = new Random(seed);
    try (var daemon = new DaemonOnRealEngine(engine, work)) {
      daemon.awaitReady();
      var before = daemon.holds();
      var moments = new ArrayList<Long>();
      for (int i = 0; i < 6; i++) {
        String image = i % 2 == 0 ? RealEngine.OTHER_IMAGE : RealEngine.IMAGE;
        daemon.changeImageOfVbar(image);
        daemon.awaitNextOfVbar();
        long moment = random.nextLong(Duration.ofSeconds(3).toNanos());
        LockSupport.parkNanos(moment);
        moments.add(Duration.ofNanos(moment).toMillis());
        if (i % 3 == 2) {
          engine.killTheEngine();
        } else {
          engine.stop();
        }
        engine.comeBack();

        daemon.awaitVbarAlone(image);
        assertThat(daemon.status("vbar").path("state").asText())
            .as("%s, seed %s, moments %s", daemon.status("vbar"), seed, moments)
            .isEqualTo("ok");
      }

      daemon.assertAllAsBefore(before);
      Measured.tell("engine restarted so long after the new one was made, ms", moments);
    } finally {
      engine.close();
    }
  }

  @Test
  void liveRestore_noRestartOfTheEngineReachesTheContainers() throws Exception {
    RealEngine engine = RealEngine.start("--live-restore");
    try (var daemon = new DaemonOnRealEngine(engine, work)) {
      daemon.awaitReady();
      List<String> runs = daemon.runs();
      var before = daemon.holds();
      for (int i = 0; i < 4; i++) {
        if (i % 2 == 0) {
          engine.stop();
        } else {
          engine.killTheEngine();
        }
        daemon.awaitNotReady();
        engine.comeBack();
        daemon.awaitReady();
      }

      assertThat(daemon.runs()).isEqualTo(runs);
      daemon.assertAllAsBefore(before);
    } finally {
      engine.close();
    }
  }

  /**
   * The purpose of this one is to measure, so it does wait for a minute: a third of it without a
   * socket, a third with one that nobody listens at, a third with one that hangs up on everybody.
   */
  @Test
  void awayForAMinute_costsNextToNoCpuAndIsGotOver() throws Exception {
    RealEngine engine = RealEngine.start();
    try (var daemon = new DaemonOnRealEngine(engine, work)) {
      daemon.awaitReady();
      var before = daemon.holds();
      Duration there = cpuOverAThird(daemon);
      engine.stop();
      daemon.awaitNotReady();
      Files.deleteIfExists(engine.socket());
      Duration noSocket = cpuOverAThird(daemon);
      try (var dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        dead.bind(UnixDomainSocketAddress.of(engine.socket()));
      }
      Duration nobody = cpuOverAThird(daemon);
      Files.delete(engine.socket());
      Duration hangsUp;
      int calls;
      try (var rude = new RudeSocket(engine.socket())) {
        hangsUp = cpuOverAThird(daemon);
        calls = rude.calls();
      }

      Measured.tell("CPU time in 20 s with the engine there", there);
      Measured.tell("CPU time in 20 s without a socket", noSocket);
      Measured.tell("CPU time in 20 s with a socket and nobody behind it", nobody);
      Measured.tell("CPU time in 20 s with a socket that hangs up", hangsUp + ", calls " + calls);
      assertThat(noSocket.plus(nobody).plus(hangsUp))
          .as("CPU time of the minute: 1 % of a core")
          .isLessThan(Duration.ofMillis(600));
      assertThat(calls).as("calls in 20 s: one asks for all").isLessThan(100);
      engine.comeBack();
      daemon.assertAllAsBefore(before);
    } finally {
      engine.close();
    }
  }

  private static Duration cpuOverAThird(DaemonOnRealEngine daemon) throws Exception {
    Duration before = daemon.cpu();
    Thread.sleep(Duration.ofSeconds(20));
    return daemon.cpu().minus(before);
  }

  private static List<String> ids(DaemonOnRealEngine daemon) throws Exception {
    return List.of(
        daemon.inspect(DaemonOnRealEngine.VBAR, "{{.Id}}"),
        daemon.inspect(DaemonOnRealEngine.TELEMETRY, "{{.Id}}"));
  }
}
