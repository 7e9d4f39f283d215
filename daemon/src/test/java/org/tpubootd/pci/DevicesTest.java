package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.DevicesConfig.GenerationRow;
import org.tpubootd.config.DevicesConfig.NodeKind;
import org.tpubootd.config.DevicesConfig.UnsafeInterrupts;
import org.tpubootd.core.FakeTime;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.State;

/** What can be seen without a kernel that reacts; the rest is in DevicesIT. */
class DevicesTest {

  private static final String BDF = "0000:00:05.0";

  @TempDir Path directory;
  private HostTree tree;
  private DevicesConfig config = HostTree.config();
  private Optional<Expected> expected = Optional.of(Expected.NOTHING);

  @BeforeEach
  void makeTree() throws Exception {
    tree = new HostTree(directory);
    tree.fifo("/dev/vfio/vfio", "666");
    tree.directory("/sys/module/vfio_iommu_type1");
  }

  private Devices devices() {
    return new Devices(
        tree.root(),
        config,
        () -> expected,
        new FakeTime(),
        module -> {
          throw new IOException("modprobe " + module + " ended with exit code 1");
        });
  }

  private Finding pass() throws IOException, InterruptedException {
    return devices().plan().carryOut(_ -> {});
  }

  private void bound(String bdf, String group) throws Exception {
    tree.v5p(bdf, group);
    tree.driver(bdf, "vfio-pci");
    tree.fifo("/dev/vfio/" + group, "666");
  }

  @Test
  void part_isOfTheHostAndRequiredByTheConfig() {
    assertThat(devices().part()).isEqualTo(new Part("devices", Part.Group.HOST, true));
  }

  @Test
  void pass_switchedOffIsInert() throws Exception {
    tree.v5p(BDF, "5");
    config =
        new DevicesConfig(
            false,
            true,
            0666,
            UnsafeInterrupts.AUTO,
            config.writeDeadline(),
            config.interval(),
            config.appearance(),
            List.of());
    assertThat(pass()).isEqualTo(Finding.inert("switched off", "devices.enabled is false"));
  }

  @Test
  void pass_hostWithoutTpuIsInert() throws Exception {
    tree.function("0000:00:03.0", "1ae0:001f:1ae0:001f");
    Finding found = pass();
    assertThat(found.state()).isEqualTo(State.INERT);
    assertThat(found.notes()).isEmpty();
  }

  @Test
  void pass_noTpuWhileItIsNotKnownWhetherOneIsPromisedWaits() throws Exception {
    expected = Optional.empty();
    Finding found = pass();
    assertThat(found.state()).isEqualTo(State.WAITING);
    assertThat(found.summary()).isEqualTo("no TPU function yet");
    assertThat(found.causeIfAny().orElseThrow()).contains("what tpu-env promises is not known");
  }

  @Test
  void pass_tpuWithoutTpuEnvIsOk() throws Exception {
    bound(BDF, "5");
    expected = Optional.empty();
    assertThat(pass().state()).isEqualTo(State.OK);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v5p-16 | 2,2,1 | no TPU on this host, though tpu-env promises 4 chips of v5p",
        "v3-8   |       | no TPU on this host, though tpu-env promises chips of v3",
        "       | 1,1,1 | no TPU on this host, though tpu-env promises 1 chip",
      })
  void pass_promisedTpuThatIsNotThereHasFailed(String type, String bounds, String summary)
      throws Exception {
    expected = Optional.of(Expected.from(Optional.ofNullable(type), Optional.ofNullable(bounds)));
    Finding found = pass();
    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary()).isEqualTo(summary);
  }

  @Test
  void pass_factsNameEveryFunction() throws Exception {
    bound(BDF, "5");
    Finding found = pass();
    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.facts())
        .containsEntry("chips", 1)
        .containsEntry("allowUnsafeInterrupts", "on")
        .containsEntry(
            "functions",
            List.of(
                Map.of(
                    "bdf", BDF,
                    "generation", "v5p",
                    "driver", "vfio-pci",
                    "group", "5",
                    "node", "/dev/vfio/5",
                    "mode", "0666",
                    "numa", 1)));
  }

  @Test
  void pass_oddNumberOfChipsIsANoteAndMoreThanPromisedToo() throws Exception {
    bound(BDF, "5");
    assertThat(pass().notes())
        .contains("1 v5p chips are here, but hosts of this generation have 4");
    expected = Optional.of(new Expected(Optional.of("V5P"), Optional.of(0)));
    assertThat(pass())
        .satisfies(found -> {
          assertThat(found.state()).isEqualTo(State.OK);
          assertThat(found.notes())
              .contains("PCI shows 1 chip, more than the 0 that tpu-env promises for this host");
        });
  }

  @Test
  void pass_chipsWithSeveralFunctionsAreCountedBySlot() throws Exception {
    config =
        HostTree.config(
            UnsafeInterrupts.AUTO,
            List.of(new GenerationRow("v5p", "0062", "00ad", NodeKind.VFIO, List.of(2), 2)));
    bound("0000:00:05.0", "5");
    bound("0000:00:05.1", "6");
    bound("0000:00:06.0", "7");
    Finding found = pass();
    assertThat(found.summary()).isEqualTo("2 v5p chips ready");
    assertThat(found.notes())
        .noneMatch(note -> note.contains("chips are here"))
        .filteredOn(note -> note.contains("functions"))
        .containsExactly(
            "0000:00:06 has 1 of the 2 functions of a v5p chip, which counts as whole all the"
                + " same");
  }

  @Test
  void pass_probeWithoutAnyReactionClearsTheOverrideByANewline() throws Exception {
    tree.v5p(BDF, "5");

    Finding found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.causeIfAny().orElseThrow())
        .contains(
            "writing '0000:00:05.0' to /sys/bus/pci/drivers_probe came back without an error, but"
                + " vfio-pci did not take the function (it has no driver)");
    assertThat(tree.read("/sys/bus/pci/devices/0000:00:05.0/driver_override")).isEqualTo("\n");
    assertThat(tree.read("/sys/bus/pci/drivers_probe")).isEqualTo(BDF);
  }

  @Test
  void pass_earlierOverrideComesBackAfterAFailure() throws Exception {
    tree.v5p(BDF, "5");
    tree.write("/sys/bus/pci/devices/0000:00:05.0/driver_override", "pci-stub\n");
    pass();
    assertThat(tree.read("/sys/bus/pci/devices/0000:00:05.0/driver_override"))
        .isEqualTo("pci-stub");
  }

  @Test
  void pass_functionInUseIsRefused() throws Exception {
    String device = tree.v5p(BDF, "5");
    tree.driver(BDF, "nvme");
    tree.directory(device + "/block/sda");
    tree.link("/sys/dev/block/8:0", device + "/block/sda");
    tree.write("/proc/self/mountinfo", "29 1 8:0 / / rw - ext4 /dev/root rw\n");

    Finding found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.causeIfAny())
        .contains(
            "0000:00:05.0: it is not taken from its driver nvme, since its disk sda is mounted"
                + " on /");
    assertThat(devices().plan().steps()).isEmpty();
    assertThat(tree.read("/sys/bus/pci/devices/0000:00:05.0/driver_override"))
        .isEqualTo("(null)\n");
  }

  @Test
  void pass_oneInUseHoldsBackItsWholeGroup() throws Exception {
    tree.v5p(BDF, "5");
    tree.driver(BDF, "old-tpu");
    tree.write("/sys/devices/pci0000:00/" + BDF + "/net/eth0/flags", "0x1\n");
    tree.link("/sys/class/net/eth0", "/sys/devices/pci0000:00/" + BDF + "/net/eth0");
    String second = tree.function("0000:00:05.1", "1ae0:0062:1ae0:00ad");
    tree.link(second + "/iommu_group", "/sys/kernel/iommu_groups/5");
    tree.link("/sys/kernel/iommu_groups/5/devices/0000:00:05.1", second);

    Finding found = pass();

    assertThat(devices().plan().steps()).isEmpty();
    assertThat(found.causeIfAny().orElseThrow())
        .contains("its network interface eth0 is up")
        .contains("0000:00:05.1: its IOMMU group also has 0000:00:05.0, where");
  }

  @Test
  void pass_bridgeAndDriverlessMemberDoNotBlockAGroup() throws Exception {
    bound(BDF, "5");
    String bridge = tree.function("0000:00:01.0", "8086:7110:8086:7110");
    tree.write(bridge + "/class", "0x060400\n");
    tree.driver("0000:00:01.0", "other-bridge");
    tree.link("/sys/kernel/iommu_groups/5/devices/0000:00:01.0", bridge);
    String idle = tree.function("0000:00:09.0", "8086:100e:8086:0058");
    tree.link("/sys/kernel/iommu_groups/5/devices/0000:00:09.0", idle);

    Finding found = pass();

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .contains(
            "IOMMU group 5 also has 0000:00:09.0 (8086:100e, subsystem 8086:0058, no driver): the"
                + " TPU becomes unusable when a driver takes it");
  }

  @Test
  void pass_groupThatIsNotViableIsSaidEvenWhenBound() throws Exception {
    bound(BDF, "5");
    String card = tree.function("0000:00:09.0", "8086:100e:8086:0058");
    tree.driver("0000:00:09.0", "e1000");
    tree.link("/sys/kernel/iommu_groups/5/devices/0000:00:09.0", card);

    assertThat(pass().summary()).isEqualTo("0 of 1 v5p functions ready: IOMMU group 5 is blocked");
  }

  @Test
  void pass_vfioWithoutIommuIsAFindingOfItsOwn() throws Exception {
    tree.v5p(BDF, "0");
    tree.driver(BDF, "vfio-pci");
    tree.fifo("/dev/vfio/noiommu-0", "600");

    Finding found = pass();

    assertThat(found.summary()).isEqualTo("0 of 1 v5p functions ready: vfio runs without an IOMMU");
    assertThat(found.causeIfAny().orElseThrow()).contains("/dev/vfio/noiommu-0");
  }

  @Test
  void pass_fileInPlaceOfANodeIsNotOpenedToAll() throws Exception {
    tree.v5p(BDF, "5");
    tree.driver(BDF, "vfio-pci");
    tree.write("/dev/vfio/5", "");

    Finding found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.causeIfAny().orElseThrow()).contains("/dev/vfio/5 is no device node");
  }

  @Test
  void pass_withoutTheSharedNodeNothingIsUsable() throws Exception {
    bound(BDF, "5");
    Files.delete(tree.path("/dev/vfio/vfio"));

    Finding found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.causeIfAny()).contains("/dev/vfio/vfio did not appear within 10000 ms");
  }

  @Test
  void pass_accelGenerationWithoutNodesNeedsAnotherImage() throws Exception {
    tree.function(BDF, "1ae0:005e:1ae0:0001");
    tree.function("0000:00:06.0", "1ae0:005e:1ae0:0001");
    tree.fifo("/dev/accel0", "600");

    Finding found = pass();

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.causeIfAny())
        .contains(
            "0000:00:06.0: a v4 needs a node /dev/accelN of Google's own driver, but there are 1"
                + " such nodes (the function has no driver)");
  }

  @ParameterizedTest
  @CsvSource({
    "AUTO,   vendor_id : GenuineIntel, Y",
    "AUTO,   CPU implementer : 0x41,   N",
    "ALWAYS, CPU implementer : 0x41,   Y",
    "NEVER,  vendor_id : GenuineIntel, N",
  })
  void pass_setsUnsafeInterruptsAsConfigured(UnsafeInterrupts mode, String cpu, String value)
      throws Exception {
    bound(BDF, "5");
    config = HostTree.config(mode, List.of());
    tree.write("/proc/cpuinfo", cpu);
    tree.write(org.tpubootd.pci.UnsafeInterrupts.PATH, "N");

    assertThat(pass().state()).isEqualTo(State.OK);
    assertThat(tree.read(org.tpubootd.pci.UnsafeInterrupts.PATH)).isEqualTo(value);
  }

  @Test
  void pass_unsafeInterruptsAreTold() throws Exception {
    bound(BDF, "5");
    assertThat(pass().notes())
        .contains(
            "allow_unsafe_interrupts is on, since VMs have no interrupt remapping: whoever may open"
                + " a node under /dev/vfio can raise interrupts of the host; with"
                + " `devices.allow-unsafe-interrupts: never` tpu-bootd does not set it");
  }

  @Test
  void pass_unsafeInterruptsThatSomebodyElseSwitchedOnAreTold() throws Exception {
    bound(BDF, "5");
    config = HostTree.config(UnsafeInterrupts.NEVER, List.of());
    assertThat(pass().notes()).anyMatch(note -> note.endsWith("tpu-bootd did not set it"));
  }

  @Test
  void pass_kernelWithoutTheParameterIsANoteAndModprobeIsTriedOnce() throws Exception {
    bound(BDF, "5");
    Files.delete(tree.path(org.tpubootd.pci.UnsafeInterrupts.PATH));
    Files.delete(tree.path("/sys/module/vfio_iommu_type1/parameters"));
    Files.delete(tree.path("/sys/module/vfio_iommu_type1"));
    Devices devices = devices();

    assertThat(devices.plan().steps()).hasSize(1);
    Finding found = devices.plan().carryOut(_ -> {});

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .anyMatch(note -> note.startsWith("allow_unsafe_interrupts cannot be set"));
    assertThat(devices.plan().steps()).isEmpty();
  }

  @Test
  void longestPass_growsWithTheDeadline() {
    assertThat(devices().longestPass()).isEqualTo(config.writeDeadline().multipliedBy(70));
  }
}
