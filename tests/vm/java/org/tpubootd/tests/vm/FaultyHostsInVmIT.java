package org.tpubootd.tests.vm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.tpubootd.testbed.FakeMetadata;
import org.tpubootd.testbed.MadeUpHost;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;

/**
 * Hosts on which something of the kernel's or the hardware's is wrong: told, and the rest works.
 */
@Tag("real")
@Tag("package")
@Tag("vm")
@NeedsPart({
  Part.QEMU,
  Part.SSH,
  Part.SFDISK,
  Part.MMDEBSTRAP,
  Part.BUSYBOX,
  Part.ROOT,
  Part.MOUNTS
})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultyHostsInVmIT {

  /** Without idle=poll, which is proved elsewhere and keeps the building machine busy. */
  private static final String ARGUMENTS = "transparent_hugepage=always intel_iommu=on,sm_on";

  private static final ObjectMapper JSON = new ObjectMapper();

  private LabImage image;
  private FakeMetadata metadata;

  @BeforeAll
  void make() throws Exception {
    image = LabImage.make();
    metadata =
        FakeMetadata.start(0)
            .set("tpu-env", MadeUpHost.TPU_ENV)
            .set("worker-network-endpoints", "w-0:1:10.0.0.11,w-1:2:10.0.0.12");
  }

  @AfterAll
  void close() {
    metadata.close();
  }

  /** Files are written and containers run, though the host is not ready. */
  private static void restWorks(Vm vm) throws Exception {
    vm.awaits("both containers", "test $(docker ps -q | wc -l) = 2");
    assertThat(vm.out("cat /home/tpu-runtime/tpu-env")).contains("WORKER_ID=\"1\"");
    assertThat(vm.run("curl -fsS http://127.0.0.1:9595/readyz").code()).isNotZero();
  }

  /** What is told of the devices, once they are in this state. */
  private static String devices(Vm vm, String state) throws Exception {
    vm.awaits("devices " + state, "grep -q '^devices  *" + state + "' <<<\"$(tpu-bootd status)\"");
    for (JsonNode part : JSON.readTree(vm.out("tpu-bootd status --json; true")).get("parts")) {
      if (part.get("name").asText().equals("devices")) {
        return part.toString();
      }
    }
    throw new AssertionError("no part devices");
  }

  @Test
  void kernelWithoutIommu_namesTheArgument() throws Exception {
    var hardware = Hardware.trial(image, "transparent_hugepage=always intel_iommu=off");
    try (Vm vm = Vm.boot("without-iommu", image, hardware, metadata.port())) {
      assertThat(devices(vm, "failed"))
          .contains("the IOMMU is off")
          .contains("take intel_iommu=off off the kernel's command line and reboot");
      restWorks(vm);
      // The boot does not hang on it.
      vm.awaits("service active", "systemctl is-active tpu-bootd");
      vm.awaits("boot finished", "systemctl is-system-running --wait");
    }
  }

  @Test
  void kernelWithoutTheModule_namesIt() throws Exception {
    var hardware = Hardware.trial(image, ARGUMENTS + " module_blacklist=vfio_pci");
    try (Vm vm = Vm.boot("without-module", image, hardware, metadata.port())) {
      assertThat(devices(vm, "failed")).contains("vfio-pci").contains("module");
      restWorks(vm);
    }
  }

  @Test
  void groupWithAForeignMember_isNamedAndTheOthersAreBound() throws Exception {
    var hardware = Hardware.trial(image, ARGUMENTS).withSharedGroup();
    try (Vm vm = Vm.boot("shared-group", image, hardware, metadata.port())) {
      String card = vm.out("lspci -Dn -d 8086:100e | cut -d' ' -f1");

      assertThat(devices(vm, "degraded")).contains(card);

      // The card keeps its driver, and the four chips beside are used.
      assertThat(vm.out("basename $(readlink /sys/bus/pci/devices/" + card + "/driver)"))
          .isEqualTo("e1000");
      assertThat(
              vm.out(
                  "for x in $(lspci -Dn -d 1ae0:0062 | cut -d' ' -f1); do"
                      + " basename $(readlink /sys/bus/pci/devices/$x/driver || echo none); done"
                      + " | sort | uniq -c | sed 's/^ *//'"))
          .isEqualTo("1 none\n4 vfio-pci");
      restWorks(vm);
    }
  }
}
