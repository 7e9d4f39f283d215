package org.tpubootd.testbed;

import static java.net.HttpURLConnection.HTTP_OK;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The daemon as a process of its own, on a made-up host. */
public final class DaemonProcess implements AutoCloseable {

  private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(5);

  private final Process process;
  private final int port;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Thread reader;

  DaemonProcess(Process process, int port) {
    this.process = process;
    this.port = port;
    this.reader = Thread.ofVirtual().name("daemon's log").start(this::read);
  }

  private void read() {
    try (BufferedReader lines = process.errorReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        log.add(line);
        System.err.println(line);
      }
    } catch (IOException e) {
      log.add("the log could not be read: " + e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** What it has logged so far. */
  public List<String> log() {
    return log;
  }

  /** Asks the health endpoint, such as for {@code /readyz}. */
  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(ANSWERS_WITHIN)
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  /** Whether it says that the host is ready; no answer is no. */
  public boolean isReady() throws InterruptedException {
    try {
      return get("/readyz").statusCode() == HTTP_OK;
    } catch (IOException _) {
      // It does not listen yet, or no more.
      return false;
    }
  }

  /** Waits until the host is ready, the daemon has ended, or it takes too long. */
  public boolean awaitReady(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (System.nanoTime() < end) {
      if (isReady()) {
        return true;
      }
      if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
        return false;
      }
    }
    return false;
  }

  /** Sends a signal by its short name: HUP, TERM, USR1, KILL. */
  public void signal(String name) throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-" + name, String.valueOf(pid())).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException("kill -" + name + " " + pid() + " ended with " + code);
    }
  }

  /** Waits until it ends, however long that takes. */
  void awaitEnd() throws InterruptedException {
    process.waitFor();
  }

  /**
   * Waits for the end and for the rest of the log.
   *
   * @return the exit code
   * @throws IOException where it goes on
   */
  public int awaitEnd(Duration atMost) throws IOException, InterruptedException {
    if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IOException("the daemon goes on after " + atMost);
    }
    reader.join();
    return process.exitValue();
  }

  /** Ends it as {@code systemctl stop} does, or by force where that takes too long. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      reader.join();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } finally {
      http.close();
    }
  }
}
