package org.tpubootd.testbed;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A host that is not there: a root directory with a sysfs tree of four v5p chips, a metadata server
 * and a container engine. The daemon that runs on it is real.
 */
public final class MadeUpHost implements AutoCloseable {

  /** The port of the documentation. */
  static final int USUAL_PORT = 9595;

  /** As the Cloud TPU API gives it for the second worker of a v5p-16; the values are made up. */
  public static final String TPU_ENV =
      """
      ACCELERATOR_TYPE: 'v5p-16'
      ALT: 'false'
      CHIPS_PER_HOST_BOUNDS: '2,2,1'
      CONSUMER_PROJECT_ID: 'sandbox'
      HOST_BOUNDS: '1,1,2'
      NODE_ID: 'sandbox'
      TOPOLOGY: '2x2x2'
      TPU_CHIPS_PER_PROCESS_BOUNDS: '2,2,1'
      TPU_PROCESS_BOUNDS: '1,1,2'
      TPU_RUNTIME_METRICS_PORTS: '8431,8432,8433,8434'
      TPU_TOPOLOGY_WRAP: 'false,false,false'
      TYPE: 'V5P'
      VBARCONTROL_AGENT_DOCKER_URL: ''
      WORKER_ID: '1'
      WRAP: 'false,false,false'
      ZONE: 'us-east5-a'
      """;

  /** The same JVM that this runs on: the one on the PATH may be older. */
  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private final Path project;
  private final Path root;
  private final Path socket;
  private final int port;
  private final FakeMetadata metadata;
  private final SysfsTree sysfs;
  private final FakeEngine engine;

  /** Makes a host whose health endpoint has a port of its own, for tests that run side by side. */
  public MadeUpHost(Path project, Path work) throws IOException {
    this(project, work, freePort());
  }

  /** Makes a host with the port of the documentation, or another one where that is taken. */
  static MadeUpHost onUsualPort(Path project, Path work) throws IOException {
    try (var _ = new ServerSocket(USUAL_PORT, 1, InetAddress.getLoopbackAddress())) {
      // It is free, and is so again at the end of this block.
    } catch (BindException _) {
      return new MadeUpHost(project, work);
    }
    return new MadeUpHost(project, work, USUAL_PORT);
  }

  /**
   * Makes the host.
   *
   * @param project the project's folder, built
   * @param work an empty folder
   */
  private MadeUpHost(Path project, Path work, int port) throws IOException {
    this.project = project;
    root = work.resolve("root");
    socket = work.resolve("docker.sock");
    this.port = port;
    sysfs = SysfsTree.create(root, "v5p", 4);
    metadata = FakeMetadata.start(0);
    metadata.set("tpu-env", TPU_ENV);
    metadata.set("worker-network-endpoints", "w-0:1:10.0.0.11,w-1:2:10.0.0.12");
    engine = FakeEngine.start(socket);
    if (port != USUAL_PORT) {
      configure("00-port", "health:\n  port: " + port + "\n");
    }
  }

  public Path root() {
    return root;
  }

  public int port() {
    return port;
  }

  public FakeMetadata metadata() {
    return metadata;
  }

  public SysfsTree sysfs() {
    return sysfs;
  }

  public FakeEngine engine() {
    return engine;
  }

  /** Writes a drop-in. */
  public void configure(String name, String yaml) throws IOException {
    Path dropIns = Files.createDirectories(root.resolve("etc/tpu-bootd/config.d"));
    Files.writeString(dropIns.resolve(name + ".yaml"), yaml);
  }

  /** A file of the host, by its path there. */
  public Path file(String absolute) {
    return root.resolve(absolute.substring(1));
  }

  /** Starts the daemon on the made-up engine; its log goes to standard error as well. */
  public DaemonProcess startDaemon() throws IOException {
    return startDaemon(Map.of());
  }

  /**
   * Starts the daemon.
   *
   * @param environment goes before what points to the made-up host
   */
  public DaemonProcess startDaemon(Map<String, String> environment) throws IOException {
    ProcessBuilder builder = command("run");
    builder.environment().putAll(environment);
    return start(builder);
  }

  /** Starts what {@link #command} has made with {@code run}. */
  public DaemonProcess start(ProcessBuilder daemon) throws IOException {
    return new DaemonProcess(daemon.redirectOutput(ProcessBuilder.Redirect.INHERIT).start(), port);
  }

  /** A command line of the program on this host, to be started. */
  public ProcessBuilder command(String... arguments) throws IOException {
    return command(
        List.of(
            JAVA,
            "@" + project.resolve("packaging/rootfs/usr/lib/tpu-bootd/jvm.options"),
            "-jar",
            jar().toString()),
        arguments);
  }

  /** The same by another program, such as the package's. */
  public ProcessBuilder command(List<String> program, String... arguments) {
    var command = new ArrayList<String>(program);
    command.addAll(List.of(arguments));
    command.addAll(List.of("--root", root.toString()));
    var builder = new ProcessBuilder(command);
    builder.environment().put("GCE_METADATA_HOST", metadata.host());
    builder.environment().put("DOCKER_HOST", "unix://" + socket);
    // Whoever runs this is not the one that the daemon would talk to.
    builder.environment().remove("JOURNAL_STREAM");
    builder.environment().remove("NOTIFY_SOCKET");
    return builder;
  }

  /** The daemon's jar, as the build made it. */
  public Path jar() throws IOException {
    Path target = project.resolve("daemon/target");
    try (var files = Files.newDirectoryStream(target, "tpu-bootd-*.jar")) {
      for (Path file : files) {
        return file;
      }
    }
    throw new IOException("no tpu-bootd-*.jar in " + target + ": build it by mvn package");
  }

  private static int freePort() throws IOException {
    try (var any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  @Override
  public void close() throws IOException {
    engine.close();
    metadata.close();
    sysfs.close();
  }
}
