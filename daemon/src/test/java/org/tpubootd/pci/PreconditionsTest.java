package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreconditionsTest {

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vendor_id : GenuineIntel | ro quiet | argument intel_iommu=on,sm_on is missing",
        "vendor_id : GenuineIntel | ro intel_iommu=sm_on | intel_iommu=on,sm_on is missing",
        "vendor_id : GenuineIntel | ro intel_iommu=on,sm_on | although intel_iommu=on is on",
        "vendor_id : GenuineIntel | intel_iommu=off | kernel was started with intel_iommu=off",
        "vendor_id : GenuineIntel | iommu=pt,off | kernel was started with iommu=pt,off",
        "vendor_id : AuthenticAMD | ro quiet | AMD processor needs no kernel argument",
        "vendor_id : AuthenticAMD | ro amd_iommu=off | kernel was started with amd_iommu=off",
        "CPU implementer : 0x41 | ro quiet | this processor needs no kernel argument",
      })
  void iommuOff_namesTheArgumentByProcessor(String cpu, String cmdline, String cause)
      throws IOException {
    var tree = new HostTree(directory);
    tree.write("/proc/cpuinfo", cpu);
    tree.write("/proc/cmdline", cmdline);

    Problem problem = new Preconditions(tree.root()).iommuOff();

    assertThat(problem.title()).isEqualTo("the IOMMU is off");
    assertThat(problem.cause()).contains(cause);
  }

  @ParameterizedTest
  @CsvSource({
    "vendor_id : GenuineIntel, true",
    "vendor_id : AuthenticAMD, true",
    "CPU part, false"
  })
  void isX86_asTheProcessorSays(String cpu, boolean x86) throws IOException {
    var tree = new HostTree(directory);
    tree.write("/proc/cpuinfo", cpu);
    assertThat(new Preconditions(tree.root()).isX86()).isEqualTo(x86);
  }

  @Test
  void moduleMissing_tellsOfLockdown() throws IOException {
    var tree = new HostTree(directory);
    tree.write("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
    assertThat(new Preconditions(tree.root()).moduleMissing("it was not found").action())
        .contains("kernel lockdown is on");
  }
}
