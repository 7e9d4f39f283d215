package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for {@link TarImages}. */
class TarImagesTest {

  private static final String LIST =
      """
      [{"Config":"a.json","RepoTags":["gcr.io/p/vbar:1","vbar:latest"],"Layers":[]},
       {"Config":"b.json","RepoTags":null}]
      """;

  private final ByteArrayOutputStream tar = new ByteArrayOutputStream();

  @Test
  void names_allTagsOfTheListWhereverItLies() throws Exception {
    entry("layer.tar", octal(1000), new byte[1000]);
    entry("empty", octal(0), new byte[0]);
    entry("manifest.json", octal(LIST.length()), LIST.getBytes(US_ASCII));

    assertThat(names()).containsExactly("gcr.io/p/vbar:1", "vbar:latest");
  }

  @Test
  void names_sizeInBytesInPlaceOfDigits() throws Exception {
    byte[] size = new byte[12];
    size[0] = (byte) 0x80;
    size[10] = 2;
    entry("layer.tar", size, new byte[512]);
    entry("manifest.json", octal(LIST.length()), LIST.getBytes(US_ASCII));

    assertThat(names()).hasSize(2);
  }

  @Test
  void names_noneWithoutAList() throws Exception {
    entry("etc/passwd", octal(5), "root\n".getBytes(US_ASCII));

    assertThat(names()).isEmpty();
  }

  @Test
  void names_noneInAnEmptyFile() throws Exception {
    assertThat(TarImages.names(new ByteArrayInputStream(new byte[0]))).isEmpty();
  }

  @Test
  void names_cutOffInTheMiddle() {
    entry("layer.tar", octal(1_000_000), new byte[1000]);

    assertThatThrownBy(() -> TarImages.names(new ByteArrayInputStream(tar.toByteArray())))
        .isInstanceOf(IOException.class)
        .hasMessage("it ends in the middle of layer.tar");
  }

  @Test
  void names_noTarAtAll() {
    assertThatThrownBy(
            () -> TarImages.names(new ByteArrayInputStream("x".repeat(2000).getBytes(US_ASCII))))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("it is no tar archive");
  }

  @Test
  void names_listInAFolderThatWasPackedAgain() throws Exception {
    entry("./manifest.json", octal(LIST.length()), LIST.getBytes(US_ASCII));

    assertThat(names()).hasSize(2);
  }

  /** Such as a packed archive by the name of a plain one, whose bytes may be any. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ffffffffffffffffffffffff", // more than a long
        "807fffffffffffffffffffff", // more than a long without its highest bit
        "800000007fffffffffffffff", // the most a long takes: a block more is less than nothing
        "2d3737373737373737373737" // -77777777777
      })
  void names_sizeThatNoFileHas(String size) {
    entry("manifest.json", HexFormat.of().parseHex(size), LIST.getBytes(US_ASCII));

    assertThatThrownBy(() -> TarImages.names(new ByteArrayInputStream(tar.toByteArray())))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("it is no tar archive");
  }

  private List<String> names() throws IOException {
    tar.writeBytes(new byte[1024]);
    return TarImages.names(new ByteArrayInputStream(tar.toByteArray()));
  }

  private void entry(String name, byte[] size, byte[] content) {
    byte[] header = new byte[512];
    System.arraycopy(name.getBytes(US_ASCII), 0, header, 0, name.length());
    System.arraycopy(size, 0, header, 124, size.length);
    tar.writeBytes(header);
    tar.writeBytes(content);
    tar.writeBytes(new byte[(512 - content.length % 512) % 512]);
  }

  private static byte[] octal(long size) {
    return "%011o".formatted(size).getBytes(US_ASCII);
  }
}
