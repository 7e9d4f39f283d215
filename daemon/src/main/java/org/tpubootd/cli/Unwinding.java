package org.tpubootd.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command end in its own way when a signal ends the program: what it does is interrupted,
 * and the JVM waits until it has closed what was open and has removed what is not whole. The exit
 * code is then the signal's: 130 for Ctrl-C.
 */
final class Unwinding implements AutoCloseable {

  /** Whatever hangs does not keep the program: the person has asked for its end. */
  private static final int PATIENCE_SECONDS = 5;

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook;

  private Unwinding(Thread command) {
    this.hook = new Thread(() -> end(command));
  }

  /** From now on until it is closed. */
  static Unwinding ofThisThread() {
    var unwinding = new Unwinding(Thread.currentThread());
    Runtime.getRuntime().addShutdownHook(unwinding.hook);
    return unwinding;
  }

  private void end(Thread command) {
    command.interrupt();
    try {
      if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("tpu-bootd: ends in the middle of its work");
      }
    } catch (InterruptedException _) {
      // Nobody interrupts the thread of a shutdown hook; if so, there is nothing to wait for.
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The program is ending: that is what the hook is for.
    }
  }
}
