package org.tpubootd.tests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/**
 * A Docker Engine of the test's own, which may be stopped, hung and killed. It needs root. A person
 * at its command line is {@link #docker}.
 */
public final class RealEngine {

  /** An image with busybox that sleeps, and ends when asked to. */
  public static final String IMAGE = "tpu-bootd-test:1";

  /** The same image under another name. */
  public static final String OTHER_IMAGE = "tpu-bootd-test:2";

  private final Path directory;
  private Process process;

  private RealEngine(Path directory) {
    this.directory = directory;
  }

  public static RealEngine start() throws IOException, InterruptedException {
    var engine = new RealEngine(Files.createTempDirectory("tpu-bootd-engine"));
    engine.comeBack();
    engine.importImages();
    return engine;
  }

  public String address() {
    return "unix://" + directory.resolve("docker.sock");
  }

  public Path directory() {
    return directory;
  }

  /** Starts the engine's process and waits until it answers. */
  public void comeBack() throws IOException {
    // Where nobody reaps, the containerd that died with a killed dockerd is a zombie, and dockerd
    // waits for it for ever.
    Files.deleteIfExists(directory.resolve("exec/containerd/containerd.pid"));
    process =
        new ProcessBuilder(
                "dockerd",
                "--data-root=" + directory.resolve("data"),
                "--exec-root=" + directory.resolve("exec"),
                "--pidfile=" + directory.resolve("docker.pid"),
                "--host=" + address(),
                "--bridge=none",
                "--iptables=false")
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve("dockerd.log").toFile()))
            .start();
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> run("docker", "--host", address(), "version").exit() == 0);
  }

  /** Kills it as the kernel does when memory runs out. */
  public void killTheEngine() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  public void hang() throws IOException, InterruptedException {
    signal("STOP");
  }

  public void goOn() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    done(run("kill", "-" + name, String.valueOf(process.pid())));
  }

  /**
   * What a person does.
   *
   * @return what was printed, without the line's end
   */
  public String docker(String... words) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("docker", "--host", address()));
    command.addAll(List.of(words));
    return done(run(command.toArray(String[]::new)));
  }

  private void importImages() throws IOException, InterruptedException {
    done(
        run(
            "sh",
            "-c",
            """
            set -e
            mkdir -p rootfs/bin
            cp "$(command -v busybox)" rootfs/bin/busybox
            ln -sf busybox rootfs/bin/sh
            tar -C rootfs -c . | docker --host "$1" import \\
              -c 'CMD ["/bin/sh","-c","trap exit TERM; /bin/busybox sleep 100000 & wait"]' - "$2"
            docker --host "$1" tag "$2" "$3"
            """,
            "import",
            address(),
            IMAGE,
            OTHER_IMAGE));
  }

  /** Ends it with all its containers, and removes what it left on the disk. */
  public void close() throws IOException, InterruptedException {
    if (process.isAlive()) {
      goOn();
      run("sh", "-c", "docker --host \"$1\" rm -f $(docker --host \"$1\" ps -aq)", "rm", address());
      process.destroy();
      process.waitFor();
    }
    // Whatever stayed mounted below, such as the engine's own network name space.
    run(
        "sh",
        "-c",
        "for m in $(awk -v d=\"$1\" 'index($2, d) == 1 {print $2}' /proc/mounts); do umount -l $m;"
            + " done; rm -rf \"$1\"",
        "clean",
        directory.toString());
  }

  private record Outcome(int exit, String output) {}

  private Outcome run(String... command) throws IOException, InterruptedException {
    var started =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(started.getInputStream().readAllBytes(), UTF_8).strip();
    return new Outcome(started.waitFor(), output);
  }

  private static String done(Outcome outcome) {
    if (outcome.exit() != 0) {
      throw new IllegalStateException("exit code " + outcome.exit() + ": " + outcome.output());
    }
    return outcome.output();
  }
}
