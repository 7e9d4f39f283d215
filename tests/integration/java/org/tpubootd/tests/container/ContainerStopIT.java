package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.util.List;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.container.SupervisedContainer;

/** How all containers are stopped with tpu-bootd. */
class ContainerStopIT extends OnFakeEngine {

  @Test
  void stopAll_stopsOursSideBySideAndKeepsThem() throws Exception {
    bench.pass(vbar());
    bench.pass(vbar().name("telemetry").image("gcr.io/p/telemetry:1"));
    engine.addForeign("somebody", true);

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();

    assertThat(engine.names()).containsExactly(NAME, "tpu-bootd-telemetry", "somebody");
    assertThat(engine.runs(NAME)).isFalse();
    assertThat(engine.runs("tpu-bootd-telemetry")).isFalse();
    assertThat(engine.runs("somebody")).isTrue();
  }

  /** Our side of a start is cut off by the end of the loop; the engine goes on with it. */
  @Test
  void stopAll_startThatTheEngineStillCarriesOut_stoppedToo() throws Exception {
    engine.faults().holdStarts();
    var vbar = bench.supervise(vbar());
    var loop = Thread.ofVirtual().start(() -> passUntilInterrupted(vbar));
    Awaitility.await().until(() -> !engine.received("POST", "/start").isEmpty());
    loop.interrupt();
    loop.join();

    List<String> problems;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var stop = threads.submit(() -> new ContainerStop(bench.engine, bench.limits).stopAll());
      Awaitility.await().until(() -> !engine.received("POST", "/stop").isEmpty());
      engine.faults().clear();
      problems = stop.get();
    }

    assertThat(problems).isEmpty();
    assertThat(engine.names()).containsExactly(NAME);
    assertThat(engine.inspect(NAME).orElseThrow().path("State").path("Status").asText())
        .isEqualTo("exited");
  }

  private void passUntilInterrupted(SupervisedContainer container) {
    try {
      bench.pass(container);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void stopAll_noEngineIsNothingToDo() throws Exception {
    engine.goAway();

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll()).isEmpty();
  }

  @Test
  void stopAll_tellsWhatCouldNotBeStopped() throws Exception {
    bench.pass(vbar());
    engine.faults().fail("/stop", 500, "cannot stop container");

    assertThat(new ContainerStop(bench.engine, bench.limits).stopAll())
        .singleElement()
        .asString()
        .startsWith("container/vbar: cannot stop the container")
        .contains("cannot stop container");
  }
}
