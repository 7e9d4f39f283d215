package org.tpubootd.tests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);

  private final Path directory;
  private final List<String> command = new ArrayList<>();
  private Process process;

  private RealEngine(Path directory) {
    this.directory = directory;
  }

  /**
   * Starts one.
   *
   * @param options for dockerd, beside those that keep it apart from others
   */
  public static RealEngine start(String... options) throws IOException, InterruptedException {
    return new RealEngine(Files.createTempDirectory("tpu-bootd-engine")).begin(List.of(), options);
  }

  /** One whose data folder is a disk of its own, of so many MiB. */
  public static RealEngine startOnSmallDisk(int mebibytes)
      throws IOException, InterruptedException {
    var engine = new RealEngine(Files.createTempDirectory("tpu-bootd-engine"));
    Files.createDirectory(engine.data());
    done(
        engine.run(
            "mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", "" + engine.data()));
    return engine.begin(List.of());
  }

  /**
   * One that finds a host at an address of this machine. Only the engine does: it sees another
   * /etc/hosts, by a mount that nobody else sees.
   */
  public static RealEngine startKnowing(String host, String address)
      throws IOException, InterruptedException {
    var engine = new RealEngine(Files.createTempDirectory("tpu-bootd-engine"));
    Path hosts = engine.directory.resolve("hosts");
    Files.copy(Path.of("/etc/hosts"), hosts);
    Files.writeString(hosts, "\n" + address + " " + host + "\n", StandardOpenOption.APPEND);
    String script = "mount --bind \"$0\" /etc/hosts && exec \"$@\"";
    return engine.begin(List.of("unshare", "--mount", "sh", "-c", script, hosts.toString()));
  }

  private RealEngine begin(List<String> before, String... options)
      throws IOException, InterruptedException {
    command.addAll(before);
    command.addAll(
        List.of(
            "dockerd",
            "--data-root=" + data(),
            "--exec-root=" + directory.resolve("exec"),
            "--pidfile=" + directory.resolve("docker.pid"),
            "--host=" + address(),
            "--bridge=none",
            "--iptables=false"));
    command.addAll(List.of(options));
    boolean ready = false;
    try {
      comeBack();
      importImages();
      ready = true;
      return this;
    } finally {
      if (!ready) {
        close();
      }
    }
  }

  public String address() {
    return "unix://" + socket();
  }

  public Path socket() {
    return directory.resolve("docker.sock");
  }

  public Path directory() {
    return directory;
  }

  /** Where it keeps images and containers. */
  public Path data() {
    return directory.resolve("data");
  }

  /** What it has logged since the first start. */
  public String log() throws IOException {
    return Files.readString(logFile());
  }

  private Path logFile() {
    return directory.resolve("dockerd.log");
  }

  /** Starts the engine's process and waits until it answers. */
  public void comeBack() throws IOException {
    // Where nobody reaps, the containerd that died with a killed dockerd is a zombie, and dockerd
    // waits for it for ever.
    Files.deleteIfExists(directory.resolve("exec/containerd/containerd.pid"));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
            .start();
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> run("docker", "--host", address(), "version").exit() == 0);
  }

  /** Stops it as systemd does, and waits for its end. */
  public void stop() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(ENDS_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException("the engine goes on " + ENDS_WITHIN + " after SIGTERM:\n" + log());
    }
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

  /** Makes an image of {@link #IMAGE} and layers of random bytes, which cannot be packed. */
  public void makeImage(String name, int layers, int mebibytesEach)
      throws IOException, InterruptedException {
    docker("tag", IMAGE, name);
    for (int layer = 1; layer <= layers; layer++) {
      done(
          run(
              "sh",
              "-c",
              """
              set -e
              head -c "$4" /dev/urandom > layer
              container=$(docker --host "$1" create --network=host "$2")
              docker --host "$1" cp layer "$container:/layer-$3"
              docker --host "$1" commit "$container" "$2"
              docker --host "$1" rm "$container"
              rm layer
              """,
              "layer",
              address(),
              name,
              String.valueOf(layer),
              String.valueOf(mebibytesEach << 20)));
    }
  }

  public void removeContainers() throws IOException, InterruptedException {
    for (String id : docker("ps", "--all", "--quiet").lines().toList()) {
      docker("rm", "--force", id);
    }
  }

  /** Removes all images but the two that it began with; no container may be there. */
  public void removeOtherImages() throws IOException, InterruptedException {
    String own = docker("image", "inspect", "--format={{.Id}}", IMAGE);
    var others = docker("images", "--quiet", "--no-trunc").lines().distinct().toList();
    for (String id : others) {
      if (!id.equals(own)) {
        docker("image", "rm", "--force", id);
      }
    }
  }

  /** Ends it with all its containers, and removes what it left on the disk. */
  public void close() throws IOException, InterruptedException {
    try {
      if (process != null && process.isAlive()) {
        goOn();
        run(
            "sh",
            "-c",
            "docker --host \"$1\" rm -f $(docker --host \"$1\" ps -aq)",
            "rm",
            address());
        process.destroy();
        if (!process.waitFor(ENDS_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
          killTheEngine();
        }
      }
    } finally {
      killWhatIsLeft();
      unmountAndDelete();
    }
  }

  /** A killed engine, and one with live-restore, leave shims and containers behind. */
  private void killWhatIsLeft() {
    ProcessHandle.allProcesses()
        .filter(one -> one.info().commandLine().orElse("").contains(directory.toString()))
        .forEach(ours -> {
          ours.descendants().forEach(ProcessHandle::destroyForcibly);
          ours.destroyForcibly();
        });
  }

  /** Whatever stayed mounted below, such as the engine's own network name space, goes as well. */
  private void unmountAndDelete() throws IOException, InterruptedException {
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
