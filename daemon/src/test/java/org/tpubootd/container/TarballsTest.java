package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.HostRoot;

/** Tests for {@link Tarballs}. */
class TarballsTest {

  private static final ImageName IMAGE = ImageName.parse("gcr.io/p/vbar:1");

  @TempDir Path root;
  private Path archive;
  private Tarballs tarballs;

  @BeforeEach
  void layOneThere() throws IOException {
    Path folder = Files.createDirectories(root.resolve("var/lib/tpu-bootd/images"));
    archive = Files.writeString(folder.resolve("vbar.tar"), "the first half");
    Files.writeString(folder.resolve("vbar.tar.ref"), "gcr.io/p/vbar:1\n");
    tarballs = new Tarballs(new HostRoot(root), Duration.ofSeconds(30));
  }

  @Test
  void refuse_notGivenOutAgain() throws Exception {
    tarballs.refuse(tarballs.holding(IMAGE).orElseThrow(), "the engine cannot read it");

    assertThat(tarballs.holding(IMAGE)).isEmpty();
    assertThat(tarballs.problems())
        .containsExactly(
            "/var/lib/tpu-bootd/images/vbar.tar is not used: the engine cannot read it");
  }

  /** It was being copied while it was loaded, and the end of the copy came before the refusal. */
  @Test
  void refuse_archiveThatHasGrownMeanwhile_isGivenOutAgain() throws Exception {
    var half = tarballs.holding(IMAGE).orElseThrow();
    Files.writeString(archive, ", and the second", StandardOpenOption.APPEND);

    tarballs.refuse(half, "unexpected end");

    assertThat(tarballs.holding(IMAGE)).contains(half);
    assertThat(tarballs.problems()).isEmpty();
  }

  @Test
  void holding_blankLinesBesideTheArchiveAreNoNames() throws Exception {
    Files.writeString(archive.resolveSibling("vbar.tar.ref"), "\n  gcr.io/p/vbar:1 \n\n");

    assertThat(tarballs.holding(ImageName.parse(""))).isEmpty();
    assertThat(tarballs.holding(IMAGE)).isPresent();
  }

  @Test
  void holding_emptyFileBesideTheArchive_told() throws Exception {
    Files.writeString(archive.resolveSibling("vbar.tar.ref"), "\n");

    assertThat(tarballs.holding(IMAGE)).isEmpty();
    assertThat(tarballs.problems())
        .containsExactly(
            "/var/lib/tpu-bootd/images/vbar.tar is not used: /var/lib/tpu-bootd/images/vbar.tar.ref"
                + " names no image: write the image's name into it");
  }

  @Test
  void holding_archiveWhoseImagesHaveNoName_told() throws Exception {
    Files.delete(archive.resolveSibling("vbar.tar.ref"));
    Files.write(archive, new byte[1024]);

    assertThat(tarballs.holding(IMAGE)).isEmpty();
    assertThat(tarballs.problems())
        .singleElement()
        .asString()
        .startsWith("/var/lib/tpu-bootd/images/vbar.tar is not used: no image in it has a name");
  }
}
