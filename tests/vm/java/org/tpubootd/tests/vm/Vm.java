package org.tpubootd.tests.vm;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tpubootd.tests.packaging.BuiltPackage;
import org.tpubootd.tests.packaging.BuiltPackage.Said;

/**
 * A VM that boots the lab's image, driven by ssh. Emulation is slow and the machine may be busy, so
 * states are waited for with generous deadlines, and no time is asserted.
 */
final class Vm implements AutoCloseable {

  /** For whatever is waited for: some ten times what a quiet machine takes. */
  private static final Duration DEADLINE = Duration.ofMinutes(8);

  private final String name;
  private final LabImage image;
  private final Hardware hardware;
  private final int metadataPort;
  private final Path folder;
  private int sshPort;
  private int boots;
  private @Nullable Process qemu;

  private Vm(String name, LabImage image, Hardware hardware, int metadataPort, Path folder) {
    this.name = name;
    this.image = image;
    this.hardware = hardware;
    this.metadataPort = metadataPort;
    this.folder = folder;
  }

  /**
   * Boots one, until it can be logged into.
   *
   * @param name of its logs, in packaging/target/vm
   * @param metadataPort of the metadata server on 127.0.0.1 of this machine
   */
  static Vm boot(String name, LabImage image, Hardware hardware, int metadataPort)
      throws IOException {
    Path folder = Files.createTempDirectory("tpu-bootd-vm");
    var vm = new Vm(name, image, hardware, metadataPort, folder);
    vm.start();
    return vm;
  }

  private void start() throws IOException {
    boots++;
    sshPort = freePort();
    Path log = log("qemu");
    var builder =
        new ProcessBuilder(hardware.commandLine(image, log("console"), sshPort, metadataPort))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    // The copy looks for its modules beside itself.
    builder.environment().put("QEMU_MODULE_DIR", "/usr/lib/x86_64-linux-gnu/qemu");
    Process started = builder.start();
    qemu = started;
    await("log-in to the VM " + name)
        .atMost(DEADLINE)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          if (!started.isAlive()) {
            throw new AssertionError("QEMU has ended: " + Files.readString(log));
          }
          return ssh("true").code() == 0;
        });
  }

  /** The socket by which all commands share one log-in. */
  private Path connection() {
    return folder.resolve("ssh");
  }

  private Path log(String kind) {
    return image.folder().resolve(name + "-" + boots + "-" + kind + ".log");
  }

  /** Runs a script of Bash as root, in the session of the first log-in. */
  Said run(String script) throws IOException, InterruptedException {
    return run(script, sshCommand("bash -s"));
  }

  /** The same in a session of its own, which PAM sets up now. */
  Said newSession(String script) throws IOException, InterruptedException {
    var command = sshCommand("bash -s");
    command.addAll(1, List.of("-o", "ControlPath=none"));
    return run(script, command);
  }

  private static Said run(String script, List<String> command)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("tpu-bootd-vm", ".sh");
    try {
      Files.writeString(file, "set -o pipefail\n" + script);
      return BuiltPackage.run(Map.of(), command, file);
    } finally {
      Files.delete(file);
    }
  }

  /** What a script has written, without the end of its last line; fails where the script does. */
  String out(String script) throws IOException, InterruptedException {
    return run(script).ok().out().stripTrailing();
  }

  /** Waits until a script succeeds. */
  void awaits(String what, String script) {
    await(what)
        .atMost(DEADLINE)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(() -> run(script).ok());
  }

  /** Brings a file into the VM. */
  void put(Path file, String path) throws IOException, InterruptedException {
    BuiltPackage.run(Map.of(), sshCommand("cat >" + path), file).ok();
  }

  /** Shuts the system down and boots it again from the same disk. */
  void reboot() throws IOException, InterruptedException {
    saveJournal();
    run("systemctl reboot");
    if (!process().waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("the VM " + name + " does not shut down; see " + log("console"));
    }
    disconnect();
    start();
  }

  private Process process() {
    if (qemu == null) {
      throw new IllegalStateException("not started");
    }
    return qemu;
  }

  private Said ssh(String command) throws IOException, InterruptedException {
    return BuiltPackage.run(Map.of(), sshCommand(command), Path.of("/dev/null"));
  }

  private List<String> sshCommand(String command) {
    var line = new ArrayList<>(List.of("ssh", "-F", "none", "-q", "-i", image.key().toString()));
    line.addAll(List.of("-p", Integer.toString(sshPort), "-o", "BatchMode=yes"));
    line.addAll(List.of("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"));
    // Until sshd runs QEMU takes the connection and says nothing.
    line.addAll(List.of("-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=60"));
    // One log-in for all commands: the key exchange takes seconds here.
    line.addAll(List.of("-o", "ControlMaster=auto", "-o", "ControlPersist=yes"));
    line.addAll(List.of("-o", "ControlPath=" + connection(), "root@127.0.0.1", command));
    return line;
  }

  private void disconnect() throws IOException, InterruptedException {
    BuiltPackage.run(
        "ssh", "-q", "-o", "ControlPath=" + connection(), "-O", "exit", "root@127.0.0.1");
  }

  private void saveJournal() throws IOException, InterruptedException {
    Files.writeString(log("journal"), run("journalctl --no-pager -b -o short-precise").out());
  }

  private static int freePort() throws IOException {
    try (var any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  /** Saves the journal and switches the VM off. */
  @Override
  public void close() throws IOException {
    try {
      if (process().isAlive()) {
        saveJournal();
        disconnect();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process().destroyForcibly();
      Files.deleteIfExists(connection());
      Files.deleteIfExists(folder);
    }
  }
}
