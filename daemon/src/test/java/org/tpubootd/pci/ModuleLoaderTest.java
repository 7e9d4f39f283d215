package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
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
  void modprobe_underWayWhenTheDaemonEnds_isLeftToEnd() throws Exception {
    String script = "touch begun; until [ -e go ]; do sleep 0.02; done; touch ended";
    var modprobe =
        new Modprobe(
            List.of("sh", "-c", "cd '" + directory + "'; " + script), Duration.ofSeconds(60));
    var ending = new AtomicReference<Exception>();
    Thread pass =
        Thread.ofVirtual()
            .start(() -> {
              try {
                modprobe.load("vfio-pci");
              } catch (IOException | InterruptedException e) {
                ending.set(e);
              }
            });
    await().until(() -> Files.exists(directory.resolve("begun")));

    pass.interrupt();
    pass.join();
    Files.createFile(directory.resolve("go"));

    assertThat(ending.get()).isInstanceOf(InterruptedException.class);
    await().untilAsserted(() -> assertThat(directory.resolve("ended")).exists());
  }

  @Test
  void modprobe_thatDoesNotEnd_isGivenUp() {
    var modprobe = new Modprobe(List.of("sh", "-c", "sleep 600"), Duration.ofMillis(50));
    assertThatIOException()
        .isThrownBy(() -> modprobe.load("vfio-pci"))
        .withMessage("modprobe vfio-pci did not end within 50 ms");
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
