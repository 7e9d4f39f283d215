package org.tpubootd.core;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a call that may never come back on a thread of its own and stops waiting for it in time. The
 * thread is interrupted then; whether the call takes notice is its own affair (a socket channel is
 * closed by it, a write that hangs in the kernel is not), so the caller goes on either way.
 */
public final class Deadline {

  private Deadline() {}

  /** The call did not come back in time. */
  public static final class Passed extends IOException {
    private static final long serialVersionUID = 1;

    Passed(String what, Duration limit) {
      super(what + " did not come back within " + limit.toMillis() + " ms");
    }
  }

  /**
   * Makes a call that takes notice of an interrupt, such as one over a socket channel.
   *
   * @param what names the call in the error, as the subject of a sentence
   * @throws Passed when the limit ran out
   * @throws IOException what the call threw, as it is
   */
  public static <T> T call(String what, Duration limit, Callable<T> call)
      throws IOException, InterruptedException {
    return call(what, limit, call, Thread.ofVirtual().name(what).factory());
  }

  /**
   * The same for a call that may hang in the kernel for good, such as a write to sysfs: it gets a
   * platform thread, since a virtual one would take the carrier with it.
   */
  public static <T> T callKernel(String what, Duration limit, Callable<T> call)
      throws IOException, InterruptedException {
    return call(what, limit, call, Thread.ofPlatform().daemon().name(what).factory());
  }

  private static <T> T call(String what, Duration limit, Callable<T> call, ThreadFactory threads)
      throws IOException, InterruptedException {
    var task = new FutureTask<>(call);
    threads.newThread(task).start();
    try {
      return task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      task.cancel(true);
      throw new Passed(what, limit);
    } catch (InterruptedException e) {
      task.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException io -> throw io;
        case InterruptedException interrupted -> throw interrupted;
        case RuntimeException unchecked -> throw unchecked;
        case Error error -> throw error;
        case null, default -> throw new IOException(what + " failed: " + e.getCause(), e);
      }
    }
  }
}
