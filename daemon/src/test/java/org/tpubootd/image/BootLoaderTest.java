package org.tpubootd.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests for {@link BootLoader} and {@link Kernels}: what boots, by the boot loader's own files. */
class BootLoaderTest {

  @TempDir Path directory;

  @Test
  void grub_hasEveryEntryButThoseForRecovery() throws Exception {
    var loader = BootLoader.of(ImageTree.empty(directory).grub("ro idle=poll").tree());

    assertThat(loader)
        .hasValueSatisfying(grub -> {
          assertThat(grub.kind()).isEqualTo(BootLoader.Kind.GRUB);
          assertThat(grub.entries())
              .extracting(BootEntry::title)
              .containsExactly("Ubuntu", "Ubuntu, with Linux " + ImageTree.KERNEL);
          assertThat(grub.entries())
              .extracting(entry -> entry.arguments().words())
              .containsOnly(List.of("ro", "idle=poll"));
          assertThat(grub.firstKernel()).contains(ImageTree.KERNEL);
        });
  }

  @Test
  void grub_withoutAnEntryIsNone() throws Exception {
    var tree = ImageTree.empty(directory).file("/boot/grub/grub.cfg", "set default=0\n").tree();

    assertThat(BootLoader.of(tree)).isEmpty();
  }

  @Test
  void entries_haveTheNewestFirst() throws Exception {
    var tree =
        ImageTree.empty(directory)
            .file("/efi/loader/entries/a-6.9.0.conf", "linux /a/6.9.0/linux\noptions ro\n")
            .file(
                "/efi/loader/entries/a-6.12.0.conf",
                "title Fedora\nlinux /vmlinuz-6.12.0\noptions ro\noptions idle=poll\n")
            .tree();

    assertThat(BootLoader.of(tree))
        .hasValueSatisfying(loader -> {
          assertThat(loader.kind()).isEqualTo(BootLoader.Kind.ENTRIES);
          assertThat(loader.firstKernel()).contains("6.12.0");
          assertThat(loader.entries().getFirst().title()).isEqualTo("Fedora");
          assertThat(loader.entries().getFirst().arguments().words()).contains("ro", "idle=poll");
          assertThat(loader.entries().getLast().title()).isEqualTo("a-6.9.0.conf");
        });
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource({
    "6.8.0-100-gcp, >, 6.8.0-99-gcp",
    "6.8.0-99-gcp, <, 6.8.0-100-gcp",
    "6.10.1, >, 6.9.12",
    "6.8.0, <, 6.8.0-1",
    "6.08.0, =, 6.8.0",
    "6.8.0-1-gcp, >, 6.8.0-1-aws"
  })
  void compare_countsNumbersAsNumbers(String a, String sign, String b) {
    int order = Integer.signum(Kernels.compare(a, b));

    assertThat("<=>".charAt(order + 1)).isEqualTo(sign.charAt(0));
  }
}
