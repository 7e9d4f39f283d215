package org.tpubootd.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.ConfigLoader;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Board;
import org.tpubootd.core.FakeTime;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Time;

class NotifierTest {

  private static final Duration FEED = Duration.ofSeconds(5);

  private final FakeTime time = new FakeTime();
  private final Board board = new Board(time);
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final List<String> stuck = new ArrayList<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(Notifier.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private boolean deaf;

  @BeforeEach
  void begin() {
    board.enlist(new Part("tpu-env", Part.Group.HOST, true));
    board.enlist(new Part("container/vbar", Part.Group.CONTAINER, true));
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void end() {
    logger.detachAppender(logged);
  }

  private Notifier notifier(Optional<Duration> feedEvery) {
    Notifications systemd =
        message -> {
          if (deaf) {
            throw new IOException("sending to /run/x failed with ENOENT");
          }
          sent.add(message);
        };
    return new Notifier(
        systemd, feedEvery, Duration.ofMinutes(2), board, () -> List.copyOf(stuck), time);
  }

  private Notifier notifier() {
    return notifier(Optional.empty());
  }

  private List<String> taken() {
    var taken = List.copyOf(sent);
    sent.clear();
    return taken;
  }

  private void hostReady() {
    board.post("tpu-env", Finding.ok("written"));
  }

  private void allReady() {
    hostReady();
    board.post("container/vbar", Finding.ok("runs"));
  }

  @Test
  void ready_isSentOnceWhenFilesAndDevicesAre() {
    var notifier = notifier();
    notifier.step();
    assertThat(taken())
        .containsExactly(
            "STATUS=waiting for tpu-env: not looked at yet; container/vbar: not looked at yet");
    hostReady();
    notifier.step();
    assertThat(taken())
        .containsExactly("READY=1\nSTATUS=waiting for container/vbar: not looked at yet");
    time.advance(Duration.ofSeconds(10));
    board.post("container/vbar", Finding.ok("runs"));
    notifier.step();
    assertThat(taken()).containsExactly("STATUS=ready");
  }

  @Test
  void ready_isSentAtTheLatestAfterTheConfiguredTime() {
    var notifier = notifier();
    notifier.step();
    taken();
    time.advance(Duration.ofSeconds(115));
    assertThat(notifier.step()).isEqualTo(Duration.ofSeconds(5));
    assertThat(taken()).isEmpty();
    time.advance(Duration.ofSeconds(5));
    notifier.step();
    assertThat(taken())
        .singleElement()
        .asString()
        .startsWith("READY=1\nSTATUS=waiting for tpu-env");
    assertThat(logged.list)
        .singleElement()
        .asString()
        .contains("not ready within 120 s; a boot that waits for this service goes on");
  }

  @Test
  void ready_isNotTakenBackWhenAPartFails() {
    var notifier = notifier();
    allReady();
    notifier.step();
    taken();
    time.advance(Duration.ofSeconds(1));
    board.post("tpu-env", Finding.failed("gone", "deleted", "nothing"));
    notifier.step();
    assertThat(taken()).containsExactly("STATUS=tpu-env failed: gone");
  }

  @Test
  void status_isSentOnlyWhenItChanges() {
    var notifier = notifier();
    allReady();
    for (int i = 0; i < 5; i++) {
      notifier.step();
      time.advance(Duration.ofSeconds(10));
    }
    assertThat(taken()).containsExactly("READY=1\nSTATUS=ready");
  }

  @Test
  void status_changingFast_isSentOnceASecondAndTheLastOneArrives() {
    var notifier = notifier();
    hostReady();
    notifier.step();
    taken();
    for (int i = 1; i <= 20; i++) {
      time.advance(Duration.ofMillis(100));
      board.postProgress("container/vbar", Finding.waiting("pulling " + i, "x", null));
      notifier.step();
    }
    time.advance(notifier.step());
    notifier.step();
    assertThat(taken())
        .containsExactly(
            "STATUS=waiting for container/vbar: pulling 10",
            "STATUS=waiting for container/vbar: pulling 20");
  }

  @Test
  void watchdog_isFedFromTheBeginningAndOnTime() {
    var notifier = notifier(Optional.of(FEED));
    allReady();
    assertThat(notifier.step()).isEqualTo(FEED);
    assertThat(taken()).containsExactly("READY=1\nSTATUS=ready", "WATCHDOG=1");
    time.advance(Duration.ofSeconds(2));
    assertThat(notifier.step()).isEqualTo(Duration.ofSeconds(3));
    assertThat(taken()).isEmpty();
    time.advance(Duration.ofSeconds(3));
    notifier.step();
    assertThat(taken()).containsExactly("WATCHDOG=1");
  }

  @Test
  void watchdog_loopStuck_isNoLongerFedAndSaysSoOnce() {
    var notifier = notifier(Optional.of(FEED));
    allReady();
    notifier.step();
    taken();
    stuck.add("devices");
    for (int i = 0; i < 3; i++) {
      time.advance(FEED);
      notifier.step();
    }
    assertThat(taken()).containsExactly("STATUS=stuck: devices; the watchdog is no longer fed");
    assertThat(logged.list).singleElement().asString().contains("stuck: devices");
    stuck.clear();
    time.advance(FEED);
    notifier.step();
    assertThat(taken()).containsExactly("STATUS=ready", "WATCHDOG=1");
  }

  @Test
  void reload_isToldWithTheMonotonicClockAndEndsWithReady() {
    var notifier = notifier();
    allReady();
    notifier.step();
    taken();
    time.advance(Duration.ofMillis(1234));
    notifier.reloading();
    assertThat(taken())
        .containsExactly("RELOADING=1\nMONOTONIC_USEC=1234000\nSTATUS=reloading the configuration");
    notifier.step();
    assertThat(taken()).isEmpty();
    notifier.reloaded();
    assertThat(taken()).containsExactly("READY=1\nSTATUS=ready");
  }

  @Test
  void reload_endsWithReadyEvenIfAPartIsNotReady() {
    var notifier = notifier();
    allReady();
    notifier.step();
    notifier.reloading();
    board.post("tpu-env", Finding.waiting("server gone", "timeout", null));
    taken();
    notifier.reloaded();
    assertThat(taken()).containsExactly("READY=1\nSTATUS=waiting for tpu-env: server gone");
  }

  @Test
  void reload_beforeTheFirstReady_doesNotEndTheStart() {
    var notifier = notifier();
    notifier.step();
    taken();
    notifier.reloading();
    notifier.reloaded();
    assertThat(taken()).isEmpty();
  }

  @Test
  void stopping_isToldOnceAndOnlyTheWatchdogAfterIt() {
    var notifier = notifier(Optional.of(FEED));
    notifier.step();
    taken();
    notifier.stopping();
    notifier.stopping();
    allReady();
    time.advance(FEED);
    notifier.step();
    assertThat(taken()).containsExactly("STOPPING=1\nSTATUS=stopping", "WATCHDOG=1");
  }

  @Test
  void send_fails_isLoggedOnceAndTriedAgain() {
    var notifier = notifier();
    allReady();
    deaf = true;
    for (int i = 0; i < 3; i++) {
      assertThat(notifier.step()).isEqualTo(Duration.ofSeconds(1));
      time.advance(Duration.ofSeconds(1));
    }
    deaf = false;
    notifier.step();
    assertThat(taken()).containsExactly("READY=1\nSTATUS=ready");
    assertThat(logged.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "systemd cannot be told how the service is; it is tried again:"
                + " sending to /run/x failed with ENOENT",
            "systemd can be told again");
  }

  @Test
  void run_boardChanges_wakeIt() throws Exception {
    var notifier =
        new Notifier(
            sent::add, Optional.empty(), Duration.ofHours(1), board, List::of, Time.system());
    Thread thread = Thread.ofVirtual().start(notifier);
    await().until(() -> sent.size() == 1);
    hostReady();
    await().until(() -> sent.getLast().startsWith("READY=1"));
    thread.interrupt();
    thread.join();
  }

  @Test
  void environmentWithoutSystemd_isQuiet() throws ConfigException {
    var config = new ConfigLoader(new HostRoot(Path.of("/nonexistent"))).load().config().systemd();
    var notifier = new Notifier(Map.of(), config, board, List::of, time);
    allReady();
    notifier.step();
    notifier.stopping();
    assertThat(logged.list).isEmpty();
  }
}
