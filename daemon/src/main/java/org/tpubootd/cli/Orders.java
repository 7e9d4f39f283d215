package org.tpubootd.cli;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import sun.misc.Signal;

/** What the daemon is told to do by signals, in the order in which they came. */
final class Orders {

  /** One order. */
  enum Order {
    RELOAD,
    STOP,
    LEAVE
  }

  private static final Map<String, Order> SIGNALS =
      Map.of(
          "HUP", Order.RELOAD,
          "TERM", Order.STOP,
          "INT", Order.STOP,
          "USR1", Order.LEAVE);

  private final BlockingQueue<Order> queue = new LinkedBlockingQueue<>();

  private Orders() {}

  /**
   * Takes the signals over from the JVM, which would end at once. By sun.misc.Signal: the JDK has
   * no other way to hear of SIGHUP, and has kept this one in jdk.unsupported for that reason.
   */
  static Orders fromSignals() {
    var orders = new Orders();
    SIGNALS.forEach(
        (signal, order) -> Signal.handle(new Signal(signal), _ -> orders.queue.add(order)));
    return orders;
  }

  /** Waits for the next order. */
  Order next() throws InterruptedException {
    return queue.take();
  }
}
