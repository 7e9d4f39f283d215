package org.tpubootd.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * Has the JVM make the package's cache: runs the real daemon, from the staged tree at its final
 * path, through a boot, a change of everything that changes, a reload and a stop.
 */
final class CacheMaker {

  /** The machine does not permit a mount: see packaging/at-final-path. */
  private static final int NOT_PERMITTED = 125;

  private static final Duration TAKES_AT_MOST = Duration.ofMinutes(2);

  private CacheMaker() {}

  /** Called by packaging/pom.xml: the project's folder, and the package's target folder. */
  public static void main(String[] args) throws Exception {
    Path project = Path.of(args[0]);
    Path target = Path.of(args[1]);
    Path cache = target.resolve("tpu-bootd.aot");
    List<String> inPlace =
        List.of(
            project.resolve("packaging/at-final-path").toString(),
            target.resolve("stage").toString());

    int code = run(inPlace, "true");
    if (code == NOT_PERMITTED) {
      System.out.println(
          "This machine permits no mount at /usr/lib/tpu-bootd, not even for one process alone"
              + " (unshare --mount): the package is made without a cache, and tpu-bootd will take"
              + " about a second longer to start.");
      return;
    }
    if (code != 0) {
      throw new IOException(inPlace + " true ended with " + code);
    }
    // In /tmp: the path of a Unix socket has a limit of 107 bytes, and one lies in here.
    Path work = Files.createTempDirectory("tpu-bootd-cache");
    try (var host = new MadeUpHost(project, work)) {
      // No code for this machine's processor: it may not run on the user's (JDK-8350209).
      var options =
          List.of(
              "-XX:AOTCacheOutput=" + cache,
              "-XX:+UnlockDiagnosticVMOptions",
              "-XX:-AOTAdapterCaching",
              "-XX:-AOTStubCaching",
              // Why it leaves out some two thousand classes; errors are still told.
              "-Xlog:all=error:stderr");
      var program = new ArrayList<>(inPlace);
      program.add("/usr/lib/tpu-bootd/bin/tpu-bootd");
      walk(host, program, String.join(" ", options));
    } finally {
      delete(work);
    }
    if (!Files.exists(cache)) {
      throw new IOException("the JVM has made no cache: see its messages above");
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static int run(List<String> program, String command)
      throws IOException, InterruptedException {
    var line = new ArrayList<>(program);
    line.add(command);
    return new ProcessBuilder(line).inheritIO().start().waitFor();
  }

  /** What happens in a daemon's life, so that its classes are in the cache. */
  private static void walk(MadeUpHost host, List<String> program, String options) throws Exception {
    ProcessBuilder command = host.command(program, "run");
    command.environment().put("TPU_BOOTD_JVM_OPTIONS", options);
    try (DaemonProcess daemon = host.start(command)) {
      if (!daemon.awaitReady(TAKES_AT_MOST)) {
        throw new IOException("the daemon did not get the made-up host ready: see its log above");
      }
      for (String path : List.of("/livez", "/readyz?verbose", "/status", "/metrics")) {
        daemon.get(path);
      }
      host.metadata().set("tpu-env", MadeUpHost.TPU_ENV.replace("us-east5-a", "us-east5-b"));
      Path file = host.file("/home/tpu-runtime/tpu-env");
      await(() -> Files.readString(file).contains("us-east5-b"), "take over a change of tpu-env");
      daemon.signal("HUP");
      await(
          () -> daemon.log().stream().anyMatch(line -> line.endsWith("is read anew")),
          "read its configuration again");
      daemon.signal("TERM");
      daemon.awaitEnd(TAKES_AT_MOST);
    }
  }

  private static void await(Callable<Boolean> condition, String what) throws Exception {
    long end = System.nanoTime() + TAKES_AT_MOST.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        throw new IOException("the daemon did not " + what + ": see its log above");
      }
      Thread.sleep(20);
    }
  }
}
