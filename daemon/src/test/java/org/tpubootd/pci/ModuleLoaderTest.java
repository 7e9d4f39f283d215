package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThatIOException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.HostRoot;

class ModuleLoaderTest {

  @TempDir Path directory;

  @Test
  void modprobe_isNotRunUnderAnotherRoot() {
    ModuleLoader loader = ModuleLoader.modprobe(new HostRoot(directory), Duration.ofSeconds(10));
    assertThatIOException()
        .isThrownBy(() -> loader.load("vfio-pci"))
        .withMessage("modprobe vfio-pci was not run: %s is not the machine's own root", directory);
  }

  @Test
  void modprobe_moduleThatDoesNotExistIsASentence() {
    ModuleLoader loader = ModuleLoader.modprobe(HostRoot.MACHINE, Duration.ofSeconds(60));
    assertThatIOException()
        .isThrownBy(() -> loader.load("tpu_bootd_no_such_module"))
        .withMessageMatching(
            "(?s)modprobe (tpu_bootd_no_such_module ended with exit code 1: .+|cannot be run .+)");
  }
}
