package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SysfsTest {

  @TempDir Path directory;
  private HostTree tree;
  private Sysfs sysfs;

  @BeforeEach
  void makeTree() throws IOException {
    tree = new HostTree(directory);
    sysfs = new Sysfs(tree.root());
  }

  @Test
  void scan_readsWhatTheKernelShows() throws IOException {
    tree.v5p("0000:00:05.0", "12");
    tree.driver("0000:00:05.0", "old-tpu");

    assertThat(sysfs.scan().functions())
        .containsExactly(
            new PciFunction(
                "0000:00:05.0",
                "1ae0",
                "0062",
                "1ae0",
                "00ad",
                "ff0000",
                Optional.of("old-tpu"),
                Optional.of("12"),
                1));
  }

  @Test
  void scan_idsInCapitalsAndNoNumaNodeAreTaken() throws IOException {
    String device = tree.function("0000:00:05.0", "1AE0:00AB:1AE0:00AD");
    tree.write(device + "/numa_node", "-1\n");

    assertThat(sysfs.scan().functions())
        .singleElement()
        .satisfies(function -> {
          assertThat(function.ids()).isEqualTo("1ae0:00ab, subsystem 1ae0:00ad");
          assertThat(function.numa()).isEqualTo(-1);
        });
  }

  @Test
  void scan_linkToAFunctionThatIsGoneIsNoFailure() throws IOException {
    tree.v5p("0000:00:05.0", "5");
    tree.link("/sys/bus/pci/devices/0000:00:06.0", "/sys/devices/pci0000:00/0000:00:06.0");

    Sysfs.Scan scan = sysfs.scan();

    assertThat(scan.functions()).extracting(PciFunction::bdf).containsExactly("0000:00:05.0");
    assertThat(scan.unreadable()).isEmpty();
  }

  @Test
  void scan_functionThatCannotBeReadIsReportedAndTheOthersAreThere() throws IOException {
    tree.v5p("0000:00:05.0", "5");
    String broken = tree.function("0000:00:06.0", "1ae0:0062:1ae0:00ad");
    Files.delete(tree.path(broken + "/vendor"));
    tree.directory(broken + "/vendor");

    Sysfs.Scan scan = sysfs.scan();

    assertThat(scan.functions()).extracting(PciFunction::bdf).containsExactly("0000:00:05.0");
    assertThat(scan.unreadable()).containsExactly("0000:00:06.0 could not be read: Is a directory");
  }

  @Test
  void scan_hostWithoutPciHasNoFunctions() throws IOException {
    Files.delete(tree.path("/sys/bus/pci/devices"));
    assertThat(sysfs.scan().functions()).isEmpty();
  }
}
