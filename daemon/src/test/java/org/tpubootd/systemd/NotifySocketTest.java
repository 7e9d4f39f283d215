package org.tpubootd.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.core.FakeTime;
import org.tpubootd.core.Time;

class NotifySocketTest {

  @TempDir Path directory;

  private final FakeTime time = new FakeTime();

  private Notifications to(String name) {
    return NotifySocket.of(Map.of("NOTIFY_SOCKET", name), time);
  }

  @Test
  void send_pathAddress_arrivesAsOneMessage() throws Throwable {
    String path = directory.resolve("notify").toString();
    try (var systemd = new ReceivingSocket(path)) {
      to(path).send("READY=1\nSTATUS=bereit für 漢字");
      to(path).send("WATCHDOG=1");
      assertThat(systemd.receive()).isEqualTo("READY=1\nSTATUS=bereit für 漢字");
      assertThat(systemd.receive()).isEqualTo("WATCHDOG=1");
    }
  }

  @Test
  void send_abstractAddress_arrives() throws Throwable {
    String name = "@tpu-bootd-test-" + UUID.randomUUID();
    try (var systemd = new ReceivingSocket(name)) {
      to(name).send("READY=1");
      assertThat(systemd.receive()).isEqualTo("READY=1");
    }
  }

  @Test
  void send_noSocketThere_saysWhatCameBack() {
    String path = directory.resolve("nobody").toString();
    assertThatThrownBy(() -> to(path).send("READY=1"))
        .isInstanceOf(IOException.class)
        .hasMessage("sending to " + path + " failed with ENOENT, there is no such socket (2)");
    assertThatThrownBy(() -> to("@" + UUID.randomUUID()).send("READY=1"))
        .hasMessageContaining("ECONNREFUSED");
  }

  @Test
  void send_queueStaysFull_isTriedForFiveSecondsAndThenSaysSo() throws Throwable {
    String path = directory.resolve("notify").toString();
    try (var _ = new ReceivingSocket(path)) {
      assertThatThrownBy(
              () -> {
                // Nobody receives: the kernel's queue ends somewhere.
                for (int i = 0; i < 1_000_000; i++) {
                  to(path).send("STATUS=" + i);
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("EAGAIN");
      assertThat(time.waits()).hasSize(49).containsOnly(Duration.ofMillis(100));
    }
  }

  @Test
  void send_addressThatIsNone_saysSo() {
    assertThatThrownBy(() -> to("vsock:2:1234").send("READY=1"))
        .hasMessageContaining("neither a path nor a name that begins with @");
    assertThatThrownBy(() -> to("/" + "x".repeat(107)).send("READY=1"))
        .hasMessageContaining("longer than a socket's address can be");
  }

  @Test
  void of_noNotifySocket_sendsNothing() throws Exception {
    NotifySocket.of(Map.of(), time).send("READY=1");
    NotifySocket.of(Map.of("NOTIFY_SOCKET", ""), time).send("READY=1");
    assertThat(time.waits()).isEmpty();
  }

  @Test
  void nanoTime_isTheClockThatSystemdWants() throws Throwable {
    long before = Time.system().nanos();
    long monotonic = ReceivingSocket.monotonicNanos();
    assertThat(monotonic).isBetween(before, Time.system().nanos());
  }
}
