package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.testbed.FakeEngine;
import org.tpubootd.testbed.ImageArchive;

/** Images that lie in archives on the host. */
class TarballIT {

  private static final String IMAGE = TestConfigs.VBAR_IMAGE;
  private static final String OWN = "var/lib/tpu-bootd/images/";
  private static final String BAKED = "usr/share/tpu-bootd/images/";

  @TempDir Path root;
  private FakeEngine engine;
  private Bench bench;

  @BeforeEach
  void start() throws Exception {
    engine = FakeEngine.start(root.resolve("engine.sock"));
    bench = new Bench(engine.address());
    bench.root = new HostRoot(root);
  }

  @AfterEach
  void stop() throws Exception {
    bench.close();
    engine.close();
  }

  @ParameterizedTest
  @CsvSource({OWN + "vbar.tar", BAKED + "vbar.tar", BAKED + "vbar.tar.gz", BAKED + "vbar.tgz"})
  void imageMissing_loadedInsteadOfPulled(String path) throws Exception {
    archive(path, IMAGE);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes()).isEmpty();
    assertThat(engine.received("POST", "/images/load")).hasSize(1);
    assertThat(engine.received("POST", "/images/create")).isEmpty();
  }

  @Test
  void imageMissing_planNamesTheArchive() throws Exception {
    archive(BAKED + "vbar.tar", IMAGE);

    assertThat(bench.supervise(vbar()).plan().steps())
        .extracting(step -> step.what())
        .containsExactly(
            "load " + IMAGE + " out of /usr/share/tpu-bootd/images/vbar.tar",
            "create and start tpu-bootd-vbar");
    assertThat(engine.received("POST", "")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Pull.class)
  void noRoomOnTheEnginesDisk_toldAndLoadedWhenThereIs(Pull policy) throws Exception {
    archive(BAKED + "vbar.tar", IMAGE);
    engine.faults().fail("/images/load", 500, "write /layer: no space left on device");
    var vbar = bench.supervise(vbar().pull(policy));

    Finding full = bench.pass(vbar);
    assertThat(full.state()).isEqualTo(State.FAILED);
    assertThat(full.summary()).isEqualTo("the image cannot be loaded");
    assertThat(full.cause()).contains("/vbar.tar").contains("no space left on device");
    assertThat(full.action()).contains("make room");

    engine.faults().clear();
    bench.time.forward(Duration.ofMinutes(2));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/load")).hasSize(2);
  }

  @Test
  void imageThere_archiveLeftAlone() throws Exception {
    archive(BAKED + "vbar.tar", IMAGE);
    engine.addImage(IMAGE);

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images")).isEmpty();
  }

  @Test
  void otherImageInside_pulled() throws Exception {
    archive(BAKED + "vbar.tar", "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.2");

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/load")).isEmpty();
    assertThat(engine.received("POST", "/images/create")).hasSize(1);
  }

  @Test
  void pullNever_loadedAllTheSame() throws Exception {
    archive(BAKED + "vbar.tar", IMAGE);

    assertThat(bench.pass(vbar().pull(Pull.NEVER)).state()).isEqualTo(State.OK);
  }

  @Test
  void pullAlwaysWithTheRegistryAway_loadedAndTold() throws Exception {
    archive(BAKED + "vbar.tar", IMAGE);
    engine.faults().failPulls("dial tcp: lookup gcr.io: no such host");

    Finding found = bench.pass(vbar().pull(Pull.ALWAYS));

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .singleElement()
        .asString()
        .startsWith("what is on this host is used: ")
        .contains("no such host");
  }

  @Test
  void rightSum_loaded() throws Exception {
    Path file = archive(BAKED + "vbar.tar", IMAGE);
    sum(file, sha256(Files.readAllBytes(file)) + "  vbar.tar\n");

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/load")).hasSize(1);
  }

  @Test
  void wrongSum_notLoadedAndTold() throws Exception {
    Path file = archive(BAKED + "vbar.tar", IMAGE);
    sum(file, "00" + sha256(Files.readAllBytes(file)).substring(2));

    Finding found = bench.pass(vbar());

    assertThat(found.state()).as("pulled instead").isEqualTo(State.OK);
    assertThat(found.notes())
        .singleElement()
        .asString()
        .startsWith("/usr/share/tpu-bootd/images/vbar.tar is not used: its SHA-256 is ")
        .contains("/usr/share/tpu-bootd/images/vbar.tar.sha256 says 00");
    assertThat(engine.received("POST", "/images/load")).isEmpty();
  }

  @Test
  void wrongSumMended_loaded() throws Exception {
    Path file = archive(BAKED + "vbar.tar", IMAGE);
    sum(file, "0".repeat(64));
    var vbar = bench.supervise(vbar().pull(Pull.NEVER));
    Finding refused = bench.pass(vbar);
    assertThat(refused.state()).isEqualTo(State.FAILED);
    Files.delete(file.resolveSibling("vbar.tar.sha256"));

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  @Test
  void zst_loadedByTheNameBesideIt() throws Exception {
    Path file = archive(BAKED + "vbar.tar.zst", IMAGE);
    Files.writeString(file.resolveSibling("vbar.tar.zst.ref"), IMAGE + "\n");

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/load")).hasSize(1);
  }

  @Test
  void zstWithoutAName_toldAndPulled() throws Exception {
    archive(BAKED + "vbar.tar.zst", IMAGE);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .singleElement()
        .asString()
        .endsWith("write the image's name into /usr/share/tpu-bootd/images/vbar.tar.zst.ref");
  }

  @Test
  void engineThatTakesNoZst_saidSo() throws Exception {
    Path file = archive(BAKED + "vbar.tar.zst", IMAGE);
    Files.writeString(file.resolveSibling("vbar.tar.zst.ref"), IMAGE);
    engine.faults().fail("/images/load", 500, "archive/tar: invalid tar header");

    Finding found = bench.pass(vbar());

    assertThat(found.notes())
        .singleElement()
        .asString()
        .contains("archive/tar: invalid tar header", "take no .zst");
  }

  @Test
  void errorInTheEnginesStream_toldAndPulled() throws Exception {
    Path file = archive(BAKED + "vbar.tar", IMAGE);
    Files.writeString(file, "no tar at all");
    Files.writeString(file.resolveSibling("vbar.tar.ref"), IMAGE);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .containsExactly(
            "/usr/share/tpu-bootd/images/vbar.tar is not used: the engine said: archive/tar:"
                + " invalid tar header");
    assertThat(engine.received("POST", "/images/load")).hasSize(1);
  }

  @Test
  void otherImageThanTheNameBesideItSays_told() throws Exception {
    Path file = archive(BAKED + "vbar.tar", "somebody/else:1");
    Files.writeString(file.resolveSibling("vbar.tar.ref"), IMAGE);

    assertThat(bench.pass(vbar()).notes())
        .singleElement()
        .asString()
        .endsWith("it was loaded, and there is no " + IMAGE + " all the same");
  }

  @ParameterizedTest
  @CsvSource({"vbar.tar", "vbar.tar.gz"})
  void brokenArchive_toldAndPulled(String name) throws Exception {
    Path file = root.resolve(BAKED + name);
    Files.createDirectories(file.resolveSibling("."));
    Files.write(file, new byte[] {1, 2, 3});

    assertThat(bench.pass(vbar()).state()).isEqualTo(State.OK);
    assertThat(engine.received("POST", "/images/load")).isEmpty();
  }

  /** Such as one that is packed and named as if it were not. */
  @Test
  void anyBytesByTheNameOfAnArchive_toldAndPulled() throws Exception {
    Path file = root.resolve(BAKED + "vbar.tar");
    Files.createDirectories(file.resolveSibling("."));
    byte[] bytes = new byte[2048];
    Arrays.fill(bytes, (byte) 0xfd);
    Files.write(file, bytes);

    Finding found = bench.pass(vbar());

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes()).singleElement().asString().contains("vbar.tar", "no tar archive");
  }

  @Test
  void engineGoesAwayWhileLoading_triedAgain() throws Exception {
    archive(BAKED + "vbar.tar", IMAGE);
    engine.faults().drop("/images/load");
    var vbar = bench.supervise(vbar().pull(Pull.NEVER));
    assertThat(bench.pass(vbar).state()).isEqualTo(State.WAITING);
    engine.faults().clear();

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
  }

  private Path archive(String path, String image) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.resolveSibling("."));
    byte[] tar = ImageArchive.of(image);
    if (path.endsWith("gz")) {
      try (var packed = new GZIPOutputStream(Files.newOutputStream(file))) {
        packed.write(tar);
      }
    } else {
      Files.write(file, tar);
    }
    return file;
  }

  private static void sum(Path file, String text) throws IOException {
    Files.writeString(file.resolveSibling(file.getFileName() + ".sha256"), text);
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
