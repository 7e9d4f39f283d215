package org.tpubootd.tests.container;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands before a registry, and breaks off or holds its answers at a given byte, counted over all
 * connections. Once cut, it takes no more until it is mended.
 */
final class CuttingProxy implements AutoCloseable {

  private enum Fault {
    NONE,
    CUT,
    HOLD
  }

  private final ServerSocket server;
  private final int registry;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private Fault fault = Fault.NONE;
  private long left;
  private long passed;
  private boolean abruptly;
  private volatile Duration pace = Duration.ZERO;

  /**
   * @param registry the port of it
   */
  CuttingProxy(int registry) throws IOException {
    this.registry = registry;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("proxy").start(this::accept);
  }

  /** As in the name of an image. */
  String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /**
   * After so many bytes more, all connections are broken.
   *
   * @param abruptly by a reset, as of a machine that is gone, and not by an end of the stream
   */
  synchronized void cutAfter(long bytes, boolean abruptly) {
    fault = Fault.CUT;
    left = bytes;
    this.abruptly = abruptly;
  }

  /** After so many bytes more, nothing comes through, and nothing is closed. */
  synchronized void holdAfter(long bytes) {
    fault = Fault.HOLD;
    left = bytes;
  }

  /** From now on, each piece of 16 KiB takes so long. */
  void slow(Duration pace) {
    this.pace = pace;
  }

  synchronized void mend() {
    fault = Fault.NONE;
    notifyAll();
  }

  synchronized boolean cut() {
    return fault == Fault.CUT && left == 0;
  }

  synchronized boolean holds() {
    return fault == Fault.HOLD && left == 0;
  }

  /** How many bytes of answers have come through. */
  synchronized long passed() {
    return passed;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        open.add(client);
        if (cut()) {
          breakOff(client);
        } else {
          Thread.ofVirtual().start(() -> carry(client));
        }
      }
    } catch (IOException _) {
      // Closed: that is how the test ends it.
    }
  }

  private void carry(Socket client) {
    try (client;
        var upstream = new Socket(InetAddress.getLoopbackAddress(), registry)) {
      open.add(upstream);
      Thread questions =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  client.getInputStream().transferTo(upstream.getOutputStream());
                  upstream.shutdownOutput();
                } catch (IOException _) {
                  // One of the two sides has closed, and the other direction sees it as well.
                }
              });
      answer(upstream.getInputStream(), client.getOutputStream());
      client.shutdownOutput();
      questions.join();
      open.remove(upstream);
    } catch (IOException _) {
      // Broken by either side or by the cut.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(client);
    }
  }

  private void answer(InputStream from, OutputStream to) throws IOException, InterruptedException {
    var buffer = new byte[16_384];
    for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
      Thread.sleep(pace);
      int done = 0;
      while (done < count) {
        int now = let(count - done);
        if (now == 0) {
          open.forEach(this::breakOff);
          return;
        }
        to.write(buffer, done, now);
        done += now;
      }
    }
  }

  /** How many of so many bytes may pass: waits while they are held, and is 0 from the cut on. */
  private synchronized int let(int wanted) throws InterruptedException {
    while (holds()) {
      wait();
    }
    int now = fault == Fault.NONE ? wanted : (int) Math.min(wanted, left);
    left -= now;
    passed += now;
    return now;
  }

  private void breakOff(Socket socket) {
    open.remove(socket);
    try {
      socket.setSoLinger(abruptly, 0);
      socket.close();
    } catch (IOException _) {
      // It was closed already.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    mend();
    open.forEach(this::breakOff);
  }
}
