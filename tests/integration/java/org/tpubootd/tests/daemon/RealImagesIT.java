package org.tpubootd.tests.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.MadeUpHost;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.RealRegistry;
import org.tpubootd.tests.daemon.Commands.Outcome;

/** {@code tpu-bootd images} on a real engine and a real registry. */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.REGISTRY, Part.ROOT})
class RealImagesIT {

  private static final Path PROJECT = Path.of(System.getProperty("tpubootd.project"));
  private static final String BAKED = "/usr/share/tpu-bootd/images";

  private static RealEngine engine;
  private static RealRegistry registry;
  private static String digest;

  private MadeUpHost host;
  private Commands commands;
  private String image;

  @BeforeAll
  static void startPartsAndPush() throws Exception {
    engine = RealEngine.start();
    registry = RealRegistry.start();
    engine.makeImage("made:1", 2, 2);
    digest = registry.push(engine, "made:1", "p/vbar:1");
    engine.removeOtherImages();
  }

  @AfterAll
  static void stopParts() throws Exception {
    if (registry != null) {
      registry.close();
    }
    if (engine != null) {
      engine.close();
    }
  }

  @BeforeEach
  void makeHost(@TempDir Path work) throws Exception {
    host = new MadeUpHost(PROJECT, work);
    commands = new Commands(host, work);
    image = registry.address() + "/p/vbar:1";
    host.configure(
        "50-images",
        "containers: {vbar: {image: '%s', privileged: false}, telemetry: {enabled: false}}\n"
            .formatted(image));
  }

  @AfterEach
  void closeHost() throws Exception {
    host.close();
    engine.removeContainers();
    engine.removeOtherImages();
  }

  private ProcessBuilder images(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 1];
    all[0] = "images";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    ProcessBuilder command = host.command(all);
    command.environment().put("DOCKER_HOST", engine.address());
    return command;
  }

  private String id() throws Exception {
    return engine.docker("image", "inspect", "--format={{.Id}}", image);
  }

  @Test
  void pull_getsTheImageAndTellsItsDigest() throws Exception {
    Outcome first = commands.run(images("pull"));
    Outcome second = commands.run(images("pull", "vbar"));

    assertThat(first).isEqualTo(new Outcome(0, image + ": pulled\n    " + digest + "\n", ""));
    assertThat(second).isEqualTo(new Outcome(0, image + ": up to date\n    " + digest + "\n", ""));
    assertThat(engine.docker("ps", "--all", "--quiet")).isEmpty();
  }

  @Test
  void pull_byDigest() throws Exception {
    String byDigest = registry.address() + "/p/vbar@" + digest;

    Outcome pull = commands.run(images("pull", byDigest));

    assertThat(pull).isEqualTo(new Outcome(0, byDigest + ": pulled\n    " + digest + "\n", ""));
  }

  @Test
  void pull_tagThatIsNotThere() throws Exception {
    Outcome pull = commands.run(images("pull", registry.address() + "/p/vbar:none"));

    assertThat(pull.exitCode()).isEqualTo(1);
    assertThat(pull.err()).contains("manifest unknown").contains("name and tag");
  }

  @Test
  void list_tellsWhatTheEngineHas() throws Exception {
    commands.run(images("pull"));

    Outcome list = commands.run(images("list"));

    assertThat(list.exitCode()).as(list.toString()).isZero();
    assertThat(list.out())
        .contains("vbar         there    " + image)
        .contains(id().substring("sha256:".length(), "sha256:".length() + 12))
        .containsPattern("\\d+ MB, made 20\\d\\d-\\d\\d-\\d\\d")
        .contains(digest);
  }

  @Test
  void save_canBeLoadedAgainAndIsTheSame() throws Exception {
    Outcome saved = commands.run(images("pull", "--save"));
    assertThat(saved.exitCode()).as(saved.toString()).isZero();
    String id = id();
    engine.docker("image", "rm", image);

    Outcome list = commands.run(images("list"));
    Outcome load = commands.run(images("load"));

    assertThat(list.out()).contains("vbar         archive").contains("its SHA-256 is right");
    assertThat(load.exitCode()).as(load.toString()).isZero();
    assertThat(load.out()).endsWith("vbar.tar: loaded " + image + "\n");
    assertThat(id()).isEqualTo(id);
    // What dpkg or an image build does with it is the same that sha256sum says.
    assertThat(
            new ProcessBuilder("sha256sum", "--check", "--status", "vbar.tar.sha256")
                .directory(host.file(BAKED).toFile())
                .start()
                .waitFor())
        .isZero();
  }

  @Test
  @NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.REGISTRY, Part.ROOT, Part.MOUNTS})
  void save_onAFullDisk_leavesNothingAndSaysSo() throws Exception {
    Path folder = Files.createDirectories(host.file(BAKED));
    mount("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.toString());
    try {
      Outcome saved = commands.run(images("pull", "--save"));

      assertThat(saved.exitCode()).isEqualTo(1);
      assertThat(saved.err())
          .contains("cannot be saved as /usr/share/tpu-bootd/images/vbar.tar: No space left");
      assertThat(folder.toFile().list()).isEmpty();
    } finally {
      mount("umount", folder.toString());
    }
  }

  private static void mount(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  @Test
  void pull_besideADaemonThatPullsTheSame_eachLayerOnce() throws Exception {
    int before = registry.requests(200).size();
    var daemon = host.command("run");
    daemon.environment().put("DOCKER_HOST", engine.address());
    try (var running = host.start(daemon)) {
      Outcome pull = commands.run(images("pull", "vbar"));

      assertThat(pull.exitCode()).as(pull.toString()).isZero();
      assertThat(running.awaitReady(Duration.ofSeconds(60))).isTrue();
      String container = engine.docker("ps", "--no-trunc", "--quiet");
      Outcome again = commands.run(images("pull", "vbar"));
      assertThat(again.exitCode()).isZero();
      assertThat(engine.docker("ps", "--no-trunc", "--quiet")).isEqualTo(container);
    }
    String configuration = id();
    assertThat(registry.requests(200).stream().skip(before))
        .filteredOn(line -> line.contains("/blobs/") && !line.contains(configuration))
        .isNotEmpty()
        .doesNotHaveDuplicates();
  }

  @Test
  void interrupted_theEngineGoesOnAndThePullCanBeMadeAgain() throws Exception {
    Process pull = commands.start(images("pull", "--save"));
    await().until(() -> !pull.isAlive() || registry.log().contains("/p/vbar/manifests/1"));
    pull.destroy();
    int code = commands.outcome(pull).exitCode();
    // 143 by SIGTERM, or it was done just before.
    assertThat(code).isIn(0, 143);

    assertThat(commands.run(images("pull", "--save")).exitCode()).isZero();
    assertThat(host.file(BAKED).toFile().list())
        .containsExactlyInAnyOrder("vbar.tar", "vbar.tar.sha256");
  }
}
