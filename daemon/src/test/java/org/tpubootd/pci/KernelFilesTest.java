package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.core.Deadline;

class KernelFilesTest {

  @TempDir Path directory;
  private HostTree tree;

  @BeforeEach
  void makeTree() throws IOException {
    tree = new HostTree(directory);
  }

  private KernelFiles kernel(Duration limit) {
    return new KernelFiles(tree.root(), limit);
  }

  @Test
  void write_replacesTheText() throws Exception {
    tree.write("/sys/x", "a longer text");
    kernel(Duration.ofSeconds(10)).write("device", tree.path("/sys/x"), "\n");
    assertThat(tree.read("/sys/x")).isEqualTo("\n");
  }

  @Test
  void write_makesNoFile() {
    assertThatIOException()
        .isThrownBy(() -> kernel(Duration.ofSeconds(10)).write("d", tree.path("/sys/x"), "1"))
        .withMessage("writing '1' to /sys/x failed: no such file");
    assertThat(tree.path("/sys/x")).doesNotExist();
  }

  @Test
  void write_thatHangsIsLeftAloneAndNoOtherIsTriedOnThatDevice() throws Exception {
    tree.fifo("/sys/x", "600");
    tree.write("/sys/y", "");
    KernelFiles kernel = kernel(Duration.ofMillis(50));

    assertThatExceptionOfType(Deadline.Passed.class)
        .isThrownBy(() -> kernel.write("device", tree.path("/sys/x"), "1"));
    assertThat(kernel.hanging("device")).contains("writing '1' to /sys/x");
    assertThatIOException()
        .isThrownBy(() -> kernel.write("device", tree.path("/sys/y"), "2"))
        .withMessage(
            "writing '2' to /sys/y was not tried, since writing '1' to /sys/x still hangs");
    assertThat(tree.read("/sys/y")).isEmpty();
    assertThat(kernel.hanging("another")).isEmpty();

    // A reader lets the open go on: what comes too late writes nothing and frees the device.
    try (var reader = new RandomAccessFile(tree.path("/sys/x").toFile(), "rw")) {
      await().until(() -> kernel.hanging("device").isEmpty());
      assertThat(reader.getChannel().isOpen()).isTrue();
    }
    new KernelFiles(tree.root(), Duration.ofSeconds(10)).write("device", tree.path("/sys/y"), "2");
    assertThat(tree.read("/sys/y")).isEqualTo("2");
  }
}
