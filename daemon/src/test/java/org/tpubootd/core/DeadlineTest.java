package org.tpubootd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DeadlineTest {

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(20);

  @Test
  void call_comesBack_givesItsValue() throws Exception {
    assertThat(Deadline.call("the call", LONG, () -> 7)).isEqualTo(7);
    assertThat(Deadline.callKernel("the call", LONG, () -> 8)).isEqualTo(8);
  }

  @Test
  void call_hangs_isInterruptedAndNamed() throws Exception {
    var interrupted = new CountDownLatch(1);
    assertThatThrownBy(() ->
            Deadline.call(
                "asking the engine",
                SHORT,
                () -> {
                  try {
                    return new CountDownLatch(1).await(1, TimeUnit.HOURS);
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                    throw e;
                  }
                }))
        .isInstanceOf(Deadline.Passed.class)
        .hasMessage("asking the engine did not come back within 20 ms");
    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void callKernel_takesNoNoticeOfTheInterrupt_callerGoesOn() {
    var release = new CountDownLatch(1);
    assertThatThrownBy(() ->
            Deadline.callKernel(
                "writing to bind",
                SHORT,
                () -> {
                  while (release.getCount() > 0) {
                    Thread.onSpinWait();
                  }
                  return 0;
                }))
        .isInstanceOf(Deadline.Passed.class);
    release.countDown();
  }

  @Test
  void callKernel_runsOnAPlatformThread() throws Exception {
    assertThat(Deadline.callKernel("x", LONG, () -> Thread.currentThread().isVirtual())).isFalse();
    assertThat(Deadline.call("x", LONG, () -> Thread.currentThread().isVirtual())).isTrue();
  }

  @Test
  void call_throws_passesItOnAsItIs() {
    var io = new IOException("EIO");
    assertThatThrownBy(() ->
            Deadline.call(
                "x",
                LONG,
                () -> {
                  throw io;
                }))
        .isSameAs(io);
    var defect = new IllegalStateException("oops");
    assertThatThrownBy(() ->
            Deadline.call(
                "x",
                LONG,
                () -> {
                  throw defect;
                }))
        .isSameAs(defect);
    var error = new AssertionError("broken");
    assertThatThrownBy(() ->
            Deadline.call(
                "x",
                LONG,
                () -> {
                  throw error;
                }))
        .isSameAs(error);
  }

  @Test
  void call_throwsAnotherCheckedException_isIo() {
    assertThatThrownBy(() ->
            Deadline.call(
                "the call",
                LONG,
                () -> {
                  throw new ReflectiveOperationException("odd");
                }))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the call failed")
        .hasMessageContaining("odd");
  }

  @Test
  void call_callerIsInterrupted_endsAndInterruptsTheCall() throws Exception {
    var began = new CountDownLatch(1);
    var interrupted = new CountDownLatch(1);
    Thread caller =
        Thread.ofVirtual()
            .start(() -> {
              try {
                Deadline.call(
                    "x",
                    LONG,
                    () -> {
                      try {
                        began.countDown();
                        return new CountDownLatch(1).await(1, TimeUnit.HOURS);
                      } catch (InterruptedException e) {
                        interrupted.countDown();
                        throw e;
                      }
                    });
              } catch (IOException | InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    assertThat(began.await(10, TimeUnit.SECONDS)).isTrue();
    caller.interrupt();
    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
    caller.join();
  }
}
