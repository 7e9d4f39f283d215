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
   * The purpose of this one is to measure, so it does wait for a minute: half of it without a
   * socket, half with one that nobody listens at.
   */
  @Test
  void awayForAMinute_costsNextToNoCpuAndIsGotOver() throws Exception {
    RealEngine engine = RealEngine.start();
    try (var daemon = new DaemonOnRealEngine(engine, work)) {
      daemon.awaitReady();
      var before = daemon.holds();
      Duration withEngine = cpuOver(daemon, Duration.ofSeconds(20));
      engine.stop();
      daemon.awaitNotReady();
      Files.deleteIfExists(engine.socket());
      Duration noSocket = cpuOver(daemon, Duration.ofSeconds(30));
      try (var dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        dead.bind(UnixDomainSocketAddress.of(engine.socket()));
      }
      Duration deadSocket = cpuOver(daemon, Duration.ofSeconds(30));

      assertThat(noSocket.plus(deadSocket)).isLessThan(Duration.ofSeconds(1));
      Measured.tell("CPU time in 20 s with the engine there", withEngine);
      Measured.tell("CPU time in 30 s without a socket", noSocket);
      Measured.tell("CPU time in 30 s with a socket and nobody behind it", deadSocket);
      engine.comeBack();
      daemon.assertAllAsBefore(before);
    } finally {
      engine.close();
    }
  }

  private static Duration cpuOver(DaemonOnRealEngine daemon, Duration window) throws Exception {
    Duration before = daemon.cpu();
    Thread.sleep(window);
    return daemon.cpu().minus(before);
  }

  private static List<String> ids(DaemonOnRealEngine daemon) throws Exception {
    return List.of(
        daemon.inspect(DaemonOnRealEngine.VBAR, "{{.Id}}"),
        daemon.inspect(DaemonOnRealEngine.TELEMETRY, "{{.Id}}"));
  }
}
