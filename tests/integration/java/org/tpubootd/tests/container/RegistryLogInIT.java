package org.tpubootd.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tpubootd.tests.container.TestConfigs.One.vbar;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.HostImages;
import org.tpubootd.container.ImageException;
import org.tpubootd.container.RegistryLogin.Credentials;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.core.Time;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.RealEngine;
import org.tpubootd.tests.RealRegistry;

/**
 * The log-in at a registry that asks for one. Only Google's registries are shown the token, and
 * that rule has no door for tests; so here the engine, and nobody else, takes an address of this
 * machine for gcr.io.
 */
@Tag("real")
@NeedsPart({Part.DOCKERD, Part.DOCKER, Part.BUSYBOX, Part.REGISTRY, Part.ROOT, Part.MOUNTS})
class RegistryLogInIT {

  private static final String GOOGLES = "127.91.0.1";
  private static final String IMAGE = "gcr.io/p/vbar:1";

  private static RealEngine engine;
  private static RealRegistry open;
  private static RealRegistry googles;

  @TempDir Path directory;
  private Bench bench;
  private String token;

  @BeforeAll
  static void startPartsAndPush() throws Exception {
    engine = RealEngine.startKnowing("gcr.io", GOOGLES);
    open = RealRegistry.start();
    googles = open.startWithLogIn(new InetSocketAddress(GOOGLES, 80));
    engine.makeImage("made:1", 1, 1);
    open.push(engine, "made:1", "p/vbar:1");
    engine.removeOtherImages();
  }

  @AfterAll
  static void stopParts() throws Exception {
    if (googles != null) {
      googles.close();
    }
    if (open != null) {
      open.close();
    }
    if (engine != null) {
      engine.close();
    }
  }

  @BeforeEach
  void start() throws Exception {
    bench = new Bench(engine.address(), Limits.of(directory, "call-deadline: 10s"));
    token = RealRegistry.TOKEN;
    bench.login = _ -> Optional.of(new Credentials(RealRegistry.USER, token));
  }

  @AfterEach
  void stop() throws Exception {
    bench.close();
    engine.removeContainers();
    engine.removeOtherImages();
  }

  @Test
  void rightToken_isLetIn() throws Exception {
    Finding found = bench.pass(vbar().image(IMAGE).unprivileged());

    assertThat(found.state()).as(found.toString()).isEqualTo(State.OK);
    assertThat(bench.loginsAskedFor).containsExactly("gcr.io");
    assertThat(googles.requests(200)).contains("HEAD /v2/p/vbar/manifests/1");
  }

  @Test
  void imagesPull_isLetInByTheSameRule() throws Exception {
    var images =
        new HostImages(
            bench.limits,
            bench.engine,
            registry -> bench.login.credentials(registry),
            Optional::empty,
            new HostRoot(directory),
            Time.system());
    var wanted = images.wanted(List.of(IMAGE)).getFirst();

    assertThat(images.pull(wanted, _ -> {}).isNew()).isTrue();
    token = "of-yesterday";
    assertThatExceptionOfType(ImageException.class)
        .isThrownBy(() -> images.pull(wanted, _ -> {}))
        .withMessageContaining("tried with the token of the VM's service account")
        .extracting(ImageException::action)
        .asString()
        .contains("artifactregistry.reader");
  }

  @Test
  void wrongToken_isAuthAndSaysWhoseItWas() throws Exception {
    token = "of-yesterday";

    Finding found = bench.pass(vbar().image(IMAGE).unprivileged());

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause())
        .contains("unauthorized", "tried with the token of the VM's service account");
    assertThat(found.action()).contains("artifactregistry.reader");
  }

  @Test
  void tokenThatIsRightByNow_isFetchedAnewAndHeals() throws Exception {
    token = "of-yesterday";
    var vbar = bench.supervise(vbar().image(IMAGE).unprivileged());
    bench.pass(vbar);
    token = RealRegistry.TOKEN;
    bench.time.forward(Duration.ofMinutes(1));

    assertThat(bench.pass(vbar).state()).isEqualTo(State.OK);
    assertThat(bench.loginsAskedFor).containsExactly("gcr.io", "gcr.io");
  }

  @Test
  void noServiceAccount_isAuthAndSaysThatThereIsNone() throws Exception {
    bench.login = _ -> Optional.empty();

    Finding found = bench.pass(vbar().image(IMAGE).unprivileged());

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause())
        .contains("no basic auth credentials", "the VM has no service account");
    assertThat(found.action()).contains("artifactregistry.reader");
  }

  @Test
  void tokenCannotBeHad_isAuthAndSaysWhy() throws Exception {
    bench.login =
        _ -> {
          throw new IOException("the metadata server answered 503");
        };

    assertThat(bench.pass(vbar().image(IMAGE).unprivileged()).cause())
        .contains("no basic auth credentials", "the metadata server answered 503");
  }

  @Test
  void letInAndNoSuchTag_isNotFound() throws Exception {
    Finding found = bench.pass(vbar().image("gcr.io/p/vbar:none").unprivileged());

    assertThat(found.cause()).contains("manifest unknown");
    assertThat(found.action()).contains("name and tag");
  }

  @Test
  void token_isInNothingThatAnybodyReads() throws Exception {
    token = "ya29.refused";
    Finding refused = bench.pass(vbar().image(IMAGE).unprivileged());
    token = RealRegistry.TOKEN;
    Finding found = bench.pass(vbar().image(IMAGE).unprivileged());
    String container = engine.docker("inspect", "tpu-bootd-vbar");
    String image = engine.docker("image", "inspect", IMAGE);

    assertThat(refused + " " + found + bench.progress + container + image + engine.log())
        .doesNotContain("ya29.refused")
        .doesNotContain(RealRegistry.TOKEN);
  }
}
