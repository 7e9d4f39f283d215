package org.tpubootd.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.metadata.ScriptedMetadata.later;
import static org.tpubootd.metadata.ScriptedMetadata.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tpubootd.core.FakeTime;
import org.tpubootd.metadata.Reading.Status;

class AttributeWatchTest {

  private static final String GET = "get instance/attributes/tpu-env";
  private static final String WAIT = "wait instance/attributes/tpu-env ";
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final FakeTime time = new FakeTime();
  private final ScriptedMetadata server = new ScriptedMetadata(time);
  private final List<Reading> seen = new ArrayList<>();
  private final AttributeWatch watch = watch(() -> seen.add(reading()));

  private AttributeWatch watch(Runnable onChange) {
    return new AttributeWatch(
        "tpu-env", server, new Outage(time), LONGEST, time, new SplittableRandom(7), onChange);
  }

  private Reading reading() {
    return watch.reading();
  }

  private void run() {
    watch.run();
    assertThat(Thread.interrupted()).as("the watch keeps the interrupt that ended it").isTrue();
  }

  private List<Status> statuses() {
    return seen.stream().map(Reading::status).toList();
  }

  private static Reading present(String text) {
    return new Reading(Status.PRESENT, text, null, null);
  }

  @Test
  void beforeTheFirstAnswer_isPending() {
    assertThat(reading().status()).isEqualTo(Status.PENDING);
    assertThat(reading().text()).isNull();
  }

  @Test
  void firstGet_givesTheEtagOfTheFirstLongPoll() {
    server.then(value("a", "e1")).then(value("b", "e2"));

    run();

    assertThat(server.questions()).containsExactly(GET, WAIT + "e1", WAIT + "e2");
    assertThat(seen).containsExactly(present("a"), present("b"));
  }

  @Test
  void longPoll_followsTheFirstGetWithoutAWait() {
    server.then(value("a", "e1"));

    run();

    assertThat(time.waits()).isEmpty();
  }

  @Test
  void longPoll_thatRanOutIsNoChangeAndIsAskedAgainAtOnce() {
    server.then(value("a", "e1")).after(Duration.ofSeconds(60), value("a", "e1"));

    run();

    assertThat(seen).hasSize(1);
    assertThat(time.waits()).isEmpty();
  }

  @Test
  void longPoll_newEtagOnTheSameTextIsNoChange() {
    server.then(value("a", "e1")).then(value("a", "e2"));

    run();

    assertThat(seen).hasSize(1);
    assertThat(server.questions()).endsWith(WAIT + "e2");
  }

  @Test
  void longPoll_anotherTextUnderTheSameEtagIsAChange() {
    server.then(value("a", "e1")).then(value("b", "e1"));

    run();

    assertThat(seen).containsExactly(present("a"), present("b"));
  }

  @Test
  void serverThatCannotWait_isAskedOnceASecond() {
    server
        .then(value("a", "e1"))
        .then(value("a", "e1"))
        .after(Duration.ofMillis(300), value("a", "e1"));

    run();

    assertThat(time.waits()).containsExactly(Duration.ofSeconds(1), Duration.ofMillis(700));
  }

  @Test
  void serverWhoseEveryAnswerDiffers_isNotAskedInABusyLoop() {
    server.then(value("a", "e1")).then(value("b", "e2")).then(value("c", "e3"));

    run();

    assertThat(seen).hasSize(3);
    assertThat(time.waits()).containsExactly(Duration.ofMillis(100), Duration.ofMillis(100));
  }

  @Test
  void serverWithoutEtags_isPolled() {
    server.then(new Answer.Value("a", null)).then(new Answer.Value("b", null));

    run();

    assertThat(server.questions()).containsExactly(GET, WAIT + "0", WAIT + "0");
    assertThat(seen).containsExactly(present("a"), present("b"));
  }

  @Test
  void absent_isAskedAgainWithBackoffWithoutEnd() {
    for (int i = 0; i < 50; i++) {
      server.then(new Answer.Absent("no such value"));
    }
    server.then(value("late", "e1"));

    run();

    assertThat(statuses()).containsExactly(Status.ABSENT, Status.PRESENT);
    assertThat(time.waits())
        .hasSize(50)
        .allMatch(wait -> wait.compareTo(LONGEST) <= 0)
        .doesNotHaveDuplicates();
    assertThat(time.waits().getFirst()).isLessThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(server.questions().subList(0, 51)).containsOnly(GET);
  }

  @Test
  void absent_afterAnOutageIsAskedForSoonAgain() {
    for (int i = 0; i < 20; i++) {
      server.then(later("away"));
    }
    server.then(new Answer.Absent("no such value")).then(value("late", "e1"));

    run();

    assertThat(time.waits().get(20)).isLessThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void absent_keepsTheLastText() {
    server.then(value("a", "e1")).then(new Answer.Absent("no such value"));

    run();

    assertThat(reading()).isEqualTo(new Reading(Status.ABSENT, "a", "no such value", null));
  }

  @Test
  void refused_isAskedAgainWithBackoff() {
    server.then(value("a", "e1"));
    for (int i = 0; i < 20; i++) {
      server.then(new Answer.Refused("403", "let it ask"));
    }

    run();

    assertThat(seen)
        .containsExactly(present("a"), new Reading(Status.REFUSED, "a", "403", "let it ask"));
    assertThat(time.waits()).hasSize(20).allMatch(wait -> wait.compareTo(LONGEST) <= 0);
    assertThat(server.questions()).hasSize(22).endsWith(GET);
  }

  @Test
  void away_isRetriedForEverWithFullJitterUpToTheLongest() {
    for (int i = 0; i < 500; i++) {
      server.then(later("connection refused"));
    }
    server.then(value("a", "e1"));

    run();

    assertThat(statuses()).containsExactly(Status.UNREACHABLE, Status.PRESENT);
    assertThat(time.waits()).hasSize(500).allMatch(wait -> wait.compareTo(LONGEST) <= 0);
    // The first is drawn below 1 s; full jitter later reaches both ends.
    assertThat(time.waits().getFirst()).isLessThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(time.waits()).anyMatch(wait -> wait.compareTo(Duration.ofSeconds(28)) > 0);
    assertThat(time.waits().subList(10, 500))
        .anyMatch(wait -> wait.compareTo(Duration.ofSeconds(2)) < 0);
  }

  @Test
  void away_keepsTheTextAndSaysWhatToDo() {
    server.then(value("a", "e1")).then(later("connection reset"));

    run();

    assertThat(reading().status()).isEqualTo(Status.UNREACHABLE);
    assertThat(reading().text()).isEqualTo("a");
    assertThat(reading().cause()).isEqualTo("connection reset");
    assertThat(reading().action()).contains("firewall");
  }

  @Test
  void backAgain_beginsWithAPlainGetSoThatTheReadingIsCurrentAtOnce() {
    server.then(value("a", "e1")).then(later("reset")).then(value("a", "e1"));

    run();

    assertThat(server.questions()).containsExactly(GET, WAIT + "e1", GET, WAIT + "e1");
    assertThat(statuses()).containsExactly(Status.PRESENT, Status.UNREACHABLE, Status.PRESENT);
  }

  @Test
  void backAgain_theBackoffBeginsAnew() {
    for (int i = 0; i < 20; i++) {
      server.then(later("refused"));
    }
    server.then(value("a", "e1")).then(later("refused"));

    run();

    assertThat(time.waits().getLast()).isLessThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void retryAfter_isHonoured() {
    server.then(new Answer.TryLater("503", Optional.of(Duration.ofSeconds(12))));

    run();

    assertThat(time.waits()).containsExactly(Duration.ofSeconds(12));
  }

  @Test
  void retryAfter_isCappedByTheLongestRetry() {
    server.then(new Answer.TryLater("503", Optional.of(Duration.ofHours(2))));

    run();

    assertThat(time.waits()).containsExactly(LONGEST);
  }

  @Test
  void outage_isOneLineAtItsBeginningAndOneAtItsEnd() {
    server.then(value("a", "e1"));
    server.after(Duration.ofSeconds(3), later("asking X: connection reset"));
    server.then(new Answer.TryLater("asking X: 503", Optional.of(Duration.ofSeconds(20))));
    server.then(value("b", "e2"));

    try (var log = new LogLines(Outage.class)) {
      run();

      Duration lasted = time.waits().stream().reduce(Duration.ZERO, Duration::plus);
      assertThat(log.lines())
          .containsExactly(
              "WARN asking X: connection reset; it is asked again until it answers",
              "INFO the metadata server answers again after "
                  + "%d.%d s".formatted(lasted.toSeconds(), lasted.toMillisPart() / 100));
    }
  }

  @Test
  void absent_isNoOutage() {
    server.then(new Answer.Absent("no such value")).then(value("a", "e1"));

    try (var log = new LogLines(Outage.class)) {
      run();

      assertThat(log.lines()).isEmpty();
    }
  }

  @Test
  void listenerThatBreaks_isToldAndTheWatchGoesOn() {
    server.then(value("a", "e1")).then(value("b", "e2"));
    var broken =
        watch(() -> {
          throw new IllegalStateException("broken listener");
        });

    try (var log = new LogLines(AttributeWatch.class)) {
      broken.run();
      assertThat(Thread.interrupted()).isTrue();

      assertThat(log.lines())
          .hasSize(2)
          .allMatch(line -> line.startsWith("ERROR watching tpu-env broke"));
    }
    assertThat(broken.reading()).isEqualTo(present("b"));
  }
}
