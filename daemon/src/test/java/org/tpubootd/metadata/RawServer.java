package org.tpubootd.metadata;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A server that says what no HTTP library would let it say. */
final class RawServer implements AutoCloseable {

  /** What the server does with a connection once it has read the request's head. */
  interface Talk {
    void on(OutputStream out) throws IOException, InterruptedException;
  }

  private final ServerSocket listener;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final CountDownLatch asked = new CountDownLatch(1);

  RawServer(Talk talk) throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
    Thread.ofVirtual().start(() -> accept(talk));
  }

  static RawServer saying(String answer) throws IOException {
    return new RawServer(out -> out.write(answer.getBytes(ISO_8859_1)));
  }

  String host() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** Waits until somebody has asked. */
  void awaitRequest() throws InterruptedException {
    asked.await();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept(Talk talk) {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket, talk));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void serve(Socket socket, Talk talk) {
    try (socket) {
      var in = socket.getInputStream();
      var head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0) {
          return;
        }
        head.append((char) next);
      }
      asked.countDown();
      talk.on(socket.getOutputStream());
    } catch (IOException e) {
      // The client hung up, as it does when its time is over.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
