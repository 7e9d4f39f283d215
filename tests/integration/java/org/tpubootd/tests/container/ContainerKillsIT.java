package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.DaemonOnRealEngine.PATIENCE;
import static org.tpubootd.tests.container.DaemonOnRealEngine.TELEMETRY;
import static org.tpubootd.tests.container.DaemonOnRealEngine.VBAR;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.tests.Measured;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;

/** Containers that die and are removed, time and again, under the whole daemon. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.ROOT})
class ContainerKillsIT {

  private static final Pattern START_CALL =
      Pattern.compile("time=\"(\\S+)\" .*\"Calling POST /v[0-9.]+/containers/([0-9a-f]+)/start\"");

  private static final ObjectMapper JSON = new ObjectMapper();

  private RealEngine engine;
  private DaemonOnRealEngine daemon;

  /** What happened to one container, and when. */
  private record Moment(Instant when, String container) {}

  @BeforeEach
  void start(@TempDir Path work) throws Exception {
    // In its debug mode it logs every call.
    engine = RealEngine.start("--debug");
    daemon = new DaemonOnRealEngine(engine, work);
    daemon.awaitReady();
  }

  @AfterEach
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
    if (engine != null) {
      engine.close();
    }
  }

  @Test
  void killed50Times_eachTimeItRunsAgainAndTheOtherIsNotTouched() throws Exception {
    String id = daemon.inspect(VBAR, "{{.Id}}");
    String other = daemon.run(TELEMETRY);
    var before = daemon.holds();
    Instant began = Instant.now();
    for (int i = 0; i < 50; i++) {
      String run = daemon.run(VBAR);
      engine.docker("kill", VBAR);
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> daemon.runsAnew(VBAR, run));
    }

    daemon.assertAllAsBefore(before);
    assertThat(daemon.inspect(VBAR, "{{.Id}}")).as("started again, not made anew").isEqualTo(id);
    assertThat(daemon.run(TELEMETRY)).isEqualTo(other);
    List<Moment> deaths = events("die", began);
    assertThat(deaths).hasSize(50);
    Measured.tell("from death to the start call, ms", spread(deaths, startCalls()));
    Measured.tell("from death to the start event, ms", spread(deaths, events("start", began)));
    Measured.tell("killed 50 times, held before and after", before + " " + daemon.holds());
  }

  @Test
  void removedByForce10Times_eachTimeItIsMadeAnew() throws Exception {
    var before = daemon.holds();
    for (int i = 0; i < 10; i++) {
      String run = daemon.run(VBAR);
      engine.docker("rm", "--force", VBAR);
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> daemon.runsAnew(VBAR, run));
    }

    daemon.assertAllAsBefore(before);
  }

  private List<Moment> events(String name, Instant since) throws Exception {
    String lines =
        engine.docker(
            "events",
            "--since=" + since,
            "--until=" + Instant.now(),
            "--filter=event=" + name,
            "--filter=label=org.tpubootd.part=vbar",
            "--format={{json .}}");
    var moments = new ArrayList<Moment>();
    for (String line : lines.lines().toList()) {
      JsonNode event = JSON.readTree(line);
      moments.add(
          new Moment(
              Instant.ofEpochSecond(0, event.path("timeNano").asLong()),
              event.path("Actor").path("ID").asText()));
    }
    return moments;
  }

  private List<Moment> startCalls() throws Exception {
    return START_CALL
        .matcher(engine.log())
        .results()
        .map(call -> new Moment(Instant.parse(call.group(1)), call.group(2)))
        .toList();
  }

  /** From each of the first to the next of the second of the same container. */
  private static String spread(List<Moment> from, List<Moment> to) {
    List<Long> took =
        from.stream()
            .map(death ->
                to.stream()
                    .filter(start ->
                        start.container().equals(death.container())
                            && start.when().isAfter(death.when()))
                    .findFirst()
                    .map(start -> Duration.between(death.when(), start.when()).toMillis()))
            .flatMap(Optional::stream)
            .sorted()
            .toList();
    assertThat(took).hasSameSizeAs(from);
    return "least %d, median %d, most %d"
        .formatted(took.getFirst(), took.get(took.size() / 2), took.getLast());
  }
}
