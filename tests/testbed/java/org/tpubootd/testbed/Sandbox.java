package org.tpubootd.testbed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.tpubootd.cli.TpuBootd;

/** {@code tests/sandbox}: boots the daemon on a made-up host and shows it. */
final class Sandbox {

  private static final Duration BOOT_TAKES_AT_MOST = Duration.ofMinutes(2);

  private Sandbox() {}

  /**
   * Called by the script: {@code --project DIR --work DIR [--once] [--image NAME]}, the last of
   * which stands for the machine's own engine, on which both containers are of this image.
   */
  public static void main(String[] args) throws Exception {
    List<String> arguments = List.of(args);
    boolean once = arguments.contains("--once");
    Path project = Path.of(after(arguments, "--project"));
    Path work = Path.of(after(arguments, "--work"));
    boolean ready;
    try (var host = MadeUpHost.onUsualPort(project, work);
        var daemon = start(host, arguments)) {
      // Ctrl-C reaches the daemon as well, but not where a script ends only this process.
      Runtime.getRuntime().addShutdownHook(new Thread(daemon::close));
      ready = daemon.awaitReady(BOOT_TAKES_AT_MOST);
      System.out.println();
      showStatus(host);
      if (!once && daemon.isAlive()) {
        tellWhatToTry(host);
        daemon.awaitEnd();
      }
    }
    System.exit(ready ? 0 : 1);
  }

  private static String after(List<String> arguments, String name) {
    return arguments.get(arguments.indexOf(name) + 1);
  }

  private static DaemonProcess start(MadeUpHost host, List<String> arguments) throws IOException {
    if (!arguments.contains("--image")) {
      return host.startDaemon();
    }
    // The agents' own images need a log-in of Google's; these stand in for them.
    String container =
        """
          %s:
            image: %s
            pull: never
            privileged: false
        """;
    String image = after(arguments, "--image");
    host.configure(
        "50-image",
        "containers:\n"
            + container.formatted("vbar", image)
            + container.formatted("telemetry", image));
    String engine = System.getenv().getOrDefault("DOCKER_HOST", "unix:///var/run/docker.sock");
    return host.startDaemon(Map.of("DOCKER_HOST", engine));
  }

  /** By the command line itself, as an operator sees it. */
  private static void showStatus(MadeUpHost host) {
    TpuBootd.run(
        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        "status",
        "--root",
        host.root().toString());
  }

  private static void tellWhatToTry(MadeUpHost host) throws IOException {
    System.out.printf(
        """

        Try, in another terminal:
          curl 'http://127.0.0.1:%1$d/readyz?verbose'
          curl http://127.0.0.1:%1$d/status
          curl http://127.0.0.1:%1$d/metrics
          cat %2$s/home/tpu-runtime/tpu-env
          chmod 600 %2$s/dev/vfio/[0-9]*     # 666 again within seconds

          export GCE_METADATA_HOST=%3$s DOCKER_HOST=%4$s
          alias tpu-bootd='%5$s -jar %6$s'
          tpu-bootd status --root %2$s
          tpu-bootd plan --root %2$s
          tpu-bootd metadata get tpu-env
        Ctrl-C ends it.
        """,
        host.port(),
        host.root(),
        host.metadata().host(),
        host.engine().address(),
        MadeUpHost.JAVA,
        host.jar().toRealPath());
  }
}
