package org.tpubootd.tests.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.MetadataConfig;
import org.tpubootd.core.Time;
import org.tpubootd.metadata.MetadataServer;
import org.tpubootd.metadata.Reading;
import org.tpubootd.metadata.Reading.Status;
import org.tpubootd.metadata.WatchedAttributes;
import org.tpubootd.testbed.FakeMetadata;
import org.tpubootd.testbed.MetadataFault;

/** The watches against a server that really holds long polls. */
class WatchIT {

  private static final Logger log = LoggerFactory.getLogger(WatchIT.class);

  private FakeMetadata fake;
  private WatchedAttributes attributes;
  private final BlockingQueue<Long> changes = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() throws Exception {
    fake = FakeMetadata.start(0);
    attributes = watching(Duration.ofSeconds(60));
  }

  @AfterEach
  void stop() {
    attributes.close();
    fake.close();
  }

  private WatchedAttributes watching(Duration watchTimeout) {
    var config =
        new MetadataConfig(
            fake.host(),
            Duration.ofSeconds(2),
            Duration.ofMillis(500),
            watchTimeout,
            Duration.ofMillis(200));
    return new WatchedAttributes(
        new MetadataServer(config, Time.system()),
        List.of("tpu-env"),
        config.longestRetry(),
        Time.system(),
        new SplittableRandom(7),
        _ -> changes.add(System.nanoTime()));
  }

  private static ConditionFactory soon() {
    return Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(5));
  }

  private void awaitReading(Status status, String text) {
    soon()
        .untilAsserted(() -> {
          Reading reading = attributes.read("tpu-env");
          assertThat(reading.status()).isEqualTo(status);
          assertThat(reading.text()).isEqualTo(text);
        });
  }

  /** Waits until the server holds a long poll that began after so many requests. */
  private void awaitLongPoll(int after) {
    soon()
        .until(() ->
            fake.requests().stream().skip(after).anyMatch(r -> r.contains("wait_for_change")));
  }

  @Test
  void change_reachesTheReadingByTheLongPoll() {
    fake.set("tpu-env", "one");
    attributes.start();
    awaitReading(Status.PRESENT, "one");
    awaitLongPoll(0);

    fake.set("tpu-env", "two");

    awaitReading(Status.PRESENT, "two");
    assertThat(fake.requests().getFirst()).isEqualTo("instance/attributes/tpu-env");
    assertThat(fake.requests().stream().skip(1)).allMatch(r -> r.contains("wait_for_change=true"));
  }

  @Test
  void sameTextSetAgain_isNoChange() {
    fake.set("tpu-env", "one");
    attributes.start();
    awaitReading(Status.PRESENT, "one");
    awaitLongPoll(0);
    changes.clear();

    fake.set("tpu-env", "one").set("tpu-env", "two");

    awaitReading(Status.PRESENT, "two");
    assertThat(changes).hasSize(1);
  }

  @Test
  void longPollThatRunsOut_isAskedAgainAndChangesNothing() {
    attributes.close();
    attributes = watching(Duration.ofSeconds(1));
    fake.set("tpu-env", "one");
    attributes.start();

    soon().until(() -> fake.requests().size() >= 4);

    assertThat(changes).hasSize(1);
  }

  @Test
  void attributeThatComesLate_isSeen() {
    attributes.start();
    awaitReading(Status.ABSENT, null);

    fake.set("tpu-env", "late");

    awaitReading(Status.PRESENT, "late");
  }

  @Test
  void attributeThatGoes_isAbsentAndItsTextKept() {
    fake.set("tpu-env", "one");
    attributes.start();
    awaitReading(Status.PRESENT, "one");

    fake.remove("tpu-env");

    awaitReading(Status.ABSENT, "one");
  }

  static List<Fault> faults() {
    return List.of(
        new Fault(new MetadataFault.Status(503), Status.UNREACHABLE),
        new Fault(new MetadataFault.Status(429, Map.of("Retry-After", "1")), Status.UNREACHABLE),
        new Fault(new MetadataFault.Reset(), Status.UNREACHABLE),
        new Fault(new MetadataFault.Hang(), Status.UNREACHABLE),
        new Fault(new MetadataFault.CutBody(), Status.UNREACHABLE),
        new Fault(new MetadataFault.Drip(Duration.ofMillis(300)), Status.UNREACHABLE),
        new Fault(new MetadataFault.Delay(Duration.ofSeconds(1)), Status.UNREACHABLE),
        new Fault(new MetadataFault.Status(400), Status.REFUSED),
        new Fault(new MetadataFault.Status(403), Status.REFUSED),
        new Fault(new MetadataFault.NoFlavor(), Status.REFUSED),
        new Fault(new MetadataFault.HtmlPage(), Status.REFUSED),
        new Fault(new MetadataFault.BodyOf(2 << 20), Status.REFUSED),
        new Fault(new MetadataFault.Redirect("http://127.0.0.1:1/"), Status.REFUSED));
  }

  /** A fault, and what the watch shows while it lasts. */
  record Fault(MetadataFault fault, Status shown) {}

  @ParameterizedTest
  @MethodSource("faults")
  void fault_isShownAndGotOver(Fault fault) {
    fake.faults().everywhere(fault.fault());
    fake.set("tpu-env", "one, long enough to drip for ever");
    attributes.start();
    awaitReading(fault.shown(), null);

    fake.faults().clear();

    awaitReading(Status.PRESENT, "one, long enough to drip for ever");
  }

  @Test
  void faultDuringALongPoll_keepsTheText() {
    fake.set("tpu-env", "one");
    attributes.start();
    awaitReading(Status.PRESENT, "one");
    awaitLongPoll(0);

    fake.faults().attribute("tpu-env", new MetadataFault.Reset());
    awaitReading(Status.UNREACHABLE, "one");
    fake.set("tpu-env", "two");
    fake.faults().clear();

    awaitReading(Status.PRESENT, "two");
  }

  @Test
  void serverThatDiesAndComesBackOnItsPort() throws Exception {
    fake.set("tpu-env", "one");
    attributes.start();
    awaitReading(Status.PRESENT, "one");
    int port = fake.port();

    fake.close();
    awaitReading(Status.UNREACHABLE, "one");
    fake = FakeMetadata.start(port).set("tpu-env", "two");

    awaitReading(Status.PRESENT, "two");
  }

  @Test
  void serverThatCannotWait_isPolled() {
    fake.faults().everywhere(new MetadataFault.NoWait());
    fake.set("tpu-env", "one");
    attributes.start();
    awaitReading(Status.PRESENT, "one");

    fake.set("tpu-env", "two");

    awaitReading(Status.PRESENT, "two");
  }

  /** Only measured, since how fast a machine is proves nothing about the code. */
  @Test
  void change_timeToTheCallback() throws Exception {
    attributes.start();
    fake.set("tpu-env", "0");
    awaitReading(Status.PRESENT, "0");
    awaitLongPoll(0);
    changes.clear();
    var micros = new long[20];
    for (int i = 0; i < micros.length; i++) {
      int before = fake.requests().size();
      long set = System.nanoTime();
      fake.set("tpu-env", "value " + i);
      micros[i] = TimeUnit.NANOSECONDS.toMicros(changes.take() - set);
      awaitLongPoll(before);
    }
    Arrays.sort(micros);
    log.info(
        "from a change on the server to the callback: median {} us, longest {} us",
        micros[micros.length / 2],
        micros[micros.length - 1]);
  }
}
