package org.tpubootd.tests;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * Debian's docker-registry on a loopback address. What was pushed to it stays when it is stopped. A
 * second one that asks for a log-in may offer the same images.
 */
public final class RealRegistry implements AutoCloseable {

  /** What Google's registries call a user that shows a token. */
  public static final String USER = "oauth2accesstoken";

  /** The one token that {@link #startWithLogIn} takes. */
  public static final String TOKEN = "made-up-token";

  /** As {@code htpasswd -nbB} writes it of the two above. */
  private static final String HTPASSWD =
      USER + ":$2y$05$Jl7J/W5lMeXEzoR8FbSEve5xoKGJIJmqGBAC6e0geVA5XNTS4rEJG\n";

  private static final Pattern REQUEST = Pattern.compile("\"([A-Z]+ \\S+) HTTP/1.1\" (\\d+) ");
  private static final Pattern DIGEST = Pattern.compile("digest: (sha256:[0-9a-f]{64})");

  private final Path directory;
  private final Path storage;
  private final InetSocketAddress at;
  private final String auth;
  private Process process;

  private RealRegistry(Path directory, Path storage, InetSocketAddress at, String auth) {
    this.directory = directory;
    this.storage = storage;
    this.at = at;
    this.auth = auth;
  }

  /** Starts one that is open to everybody. */
  public static RealRegistry start() throws IOException {
    Path directory = Files.createTempDirectory("tpu-bootd-registry");
    return new RealRegistry(directory, directory.resolve("storage"), loopback(freePort()), "")
        .begin();
  }

  /** Starts one that offers the same images to whoever shows the token. */
  public RealRegistry startWithLogIn() throws IOException {
    return startWithLogIn(loopback(freePort()));
  }

  /** The same at an address of this machine. */
  public RealRegistry startWithLogIn(InetSocketAddress at) throws IOException {
    Path directory = Files.createTempDirectory("tpu-bootd-registry");
    Path passwords = Files.writeString(directory.resolve("htpasswd"), HTPASSWD);
    String auth = "auth: {htpasswd: {realm: test, path: %s}}\n".formatted(passwords);
    return new RealRegistry(directory, storage, at, auth).begin();
  }

  private RealRegistry begin() throws IOException {
    Files.writeString(
        configFile(),
        """
        version: 0.1
        log: {level: info}
        storage: {filesystem: {rootdirectory: %s}}
        http: {addr: "%s", secret: made-up}
        %s\
        """
            .formatted(storage, address(), auth));
    boolean ready = false;
    try {
      comeBack();
      ready = true;
      return this;
    } finally {
      if (!ready) {
        close();
      }
    }
  }

  private Path configFile() {
    return directory.resolve("config.yml");
  }

  private File logFile() {
    return directory.resolve("registry.log").toFile();
  }

  /** Host and port, as in the name of an image. */
  public String address() {
    return at.getAddress().getHostAddress() + ":" + at.getPort();
  }

  public int port() {
    return at.getPort();
  }

  /** Starts the process, where it does not run, and waits until it takes connections. */
  public void comeBack() throws IOException {
    if (process != null && process.isAlive()) {
      return;
    }
    process =
        new ProcessBuilder("docker-registry", "serve", configFile().toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile()))
            .start();
    Awaitility.await()
        .pollInterval(Duration.ofMillis(50))
        .failFast("the registry ended; see " + logFile(), () -> !process.isAlive())
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> {
          try (var socket = new Socket()) {
            socket.connect(at);
            return true;
          }
        });
  }

  /** Ends the process as a power cut does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /**
   * Pushes an image of an engine to this registry and takes this name from the engine again.
   *
   * @param repository with a tag, without this registry's address
   * @return the image's digest
   */
  public String push(RealEngine engine, String image, String repository)
      throws IOException, InterruptedException {
    String name = address() + "/" + repository;
    engine.docker("tag", image, name);
    String said = engine.docker("push", name);
    engine.docker("image", "rm", name);
    var digest = DIGEST.matcher(said);
    if (!digest.find()) {
      throw new IOException("docker push told no digest: " + said);
    }
    return digest.group(1);
  }

  /** All requests so far that were answered by this status, such as {@code GET /v2/}. */
  public List<String> requests(int status) throws IOException {
    return REQUEST
        .matcher(log())
        .results()
        .filter(line -> line.group(2).equals(String.valueOf(status)))
        .map(line -> line.group(1))
        .toList();
  }

  public String log() throws IOException {
    return Files.readString(logFile().toPath());
  }

  @Override
  public void close() throws IOException {
    if (process != null) {
      process.destroy();
      try {
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      } catch (InterruptedException _) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static int freePort() throws IOException {
    try (var any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }
}
