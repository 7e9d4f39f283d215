package org.tpubootd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.Links;

/** Tests for {@link Tree}: it reads the image, whatever links there are, and nothing else. */
class TreeTest {

  @TempDir Path outside;
  @TempDir Path directory;

  @AfterEach
  void removeLinks() throws Exception {
    Links.removeBelow(directory);
  }

  @Test
  void text_ofALinkIsTheImagesAndNotTheBuilders() throws Exception {
    Path theirs = Files.writeString(outside.resolve("settings"), "of the builder");
    var tree = ImageTree.empty(directory).link("/etc/settings", theirs.toString());

    assertThat(tree.tree().text("/etc/settings")).isEmpty();
    assertThat(tree.tree().exists("/etc/settings")).isFalse();
    assertThat(tree.tree().isListed("/etc/settings")).isTrue();

    tree.file(theirs.toString(), "of the image");
    assertThat(tree.tree().text("/etc/settings")).contains("of the image");
  }

  @Test
  void names_ofALinkedDirectoryAreTheImages() throws Exception {
    Files.writeString(outside.resolve("builder.conf"), "");
    var tree = ImageTree.empty(directory).link("/etc/things.d", outside.toString());

    assertThat(tree.tree().names("/etc/things.d", ".conf")).isEmpty();

    tree.file(outside + "/image.conf", "").file(outside + "/other", "");
    assertThat(tree.tree().names("/etc/things.d", ".conf")).containsExactly("image.conf");
  }

  @Test
  void text_belowAFileIsNone() throws Exception {
    var tree = ImageTree.empty(directory).file("/etc", "no directory").tree();

    assertThat(tree.text("/etc/passwd")).isEmpty();
    assertThat(tree.names("/etc/x", "")).isEmpty();
  }

  @Test
  void text_ofADirectoryIsRefused() throws Exception {
    var tree = ImageTree.empty(directory).file("/etc/passwd/x", "").tree();

    assertThatThrownBy(() -> tree.text("/etc/passwd"))
        .isInstanceOf(IOException.class)
        .hasMessage("/etc/passwd is no file");
  }

  @Test
  void text_keepsEveryByte() throws Exception {
    Files.write(directory.resolve("odd"), new byte[] {(byte) 0xff, 'a', (byte) 0x80});

    assertThat(ImageTree.empty(directory).tree().text("/odd")).contains("\u00ffa\u0080");
  }

  @Test
  void layers_ofOneNameTheFirstCountsAndAllAreInOrderOfNames() throws Exception {
    var tree =
        ImageTree.empty(directory)
            .file("/usr/lib/modprobe.d/b.conf", "")
            .file("/usr/lib/modprobe.d/c.conf", "")
            .file("/usr/lib/modprobe.d/readme", "")
            .file("/etc/modprobe.d/c.conf", "")
            .file("/etc/modprobe.d/a.conf", "")
            .tree();

    assertThat(Layers.of(tree, "modprobe.d", ".conf"))
        .containsExactly(
            "/etc/modprobe.d/a.conf", "/usr/lib/modprobe.d/b.conf", "/etc/modprobe.d/c.conf");
    assertThat(Layers.inPlaceOf(tree, "/usr/lib/modprobe.d/c.conf"))
        .isEqualTo("/etc/modprobe.d/c.conf");
    assertThat(Layers.inPlaceOf(tree, "/usr/lib/modprobe.d/b.conf"))
        .isEqualTo("/usr/lib/modprobe.d/b.conf");
  }
}
