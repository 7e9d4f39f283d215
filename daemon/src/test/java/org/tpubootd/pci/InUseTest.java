package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InUseTest {

  private static final String BDF = "0000:00:05.0";

  @TempDir Path directory;
  private HostTree tree;
  private String device = "";

  @BeforeEach
  void makeTree() throws IOException {
    tree = new HostTree(directory);
    device = tree.v5p(BDF, "5");
    tree.driver(BDF, "old-tpu");
  }

  private Optional<String> use() throws IOException {
    PciFunction function = new Sysfs(tree.root()).scan().functions().getFirst();
    return new InUse(tree.root(), new Holders(tree.root())).by(function);
  }

  private void disk(String name, String number) throws IOException {
    tree.directory(device + "/nvme/nvme0/" + name);
    tree.link("/sys/class/block/" + name, device + "/nvme/nvme0/" + name);
    tree.link("/sys/dev/block/" + number, device + "/nvme/nvme0/" + name);
    tree.write("/dev/" + name, "");
  }

  @Test
  void by_diskThatIsNotMountedIsNoUse() throws IOException {
    disk("nvme0n1", "259:0");
    assertThat(use()).isEmpty();
  }

  @Test
  void by_diskMountedUnderItsNumberOnly() throws IOException {
    disk("nvme0n1", "259:0");
    tree.write("/proc/self/mountinfo", "29 1 259:0 / / rw shared:1 - ext4 /dev/root rw\n");
    assertThat(use()).contains("its disk nvme0n1 is mounted on /");
  }

  @Test
  void by_diskMountedUnderItsNameOnly() throws IOException {
    disk("nvme0n1", "259:0");
    tree.write("/proc/self/mountinfo", "29 1 0:31 / /data rw - btrfs /dev/nvme0n1 rw\n");
    assertThat(use()).contains("its disk nvme0n1 is mounted on /data");
  }

  @Test
  void by_diskUnderAMountedVolume() throws IOException {
    disk("nvme0n1", "259:0");
    tree.directory("/sys/devices/virtual/block/dm-0");
    tree.link("/sys/devices/virtual/block/dm-0/slaves/nvme0n1", device + "/nvme/nvme0/nvme0n1");
    tree.link("/sys/dev/block/254:0", "/sys/devices/virtual/block/dm-0");
    tree.write("/proc/self/mountinfo", "29 1 254:0 / / rw - ext4 /dev/mapper/vg-root rw\n");
    assertThat(use()).contains("its disk dm-0 is mounted on /");
  }

  @Test
  void by_swapSpace() throws IOException {
    disk("nvme0n1", "259:0");
    tree.write("/proc/swaps", "Filename Type Size\n/dev/nvme0n1 partition 1024\n");
    assertThat(use()).contains("it has the swap space /dev/nvme0n1");
  }

  @Test
  void by_anotherDevicesDiskIsNoUse() throws IOException {
    tree.directory("/sys/devices/pci0000:00/0000:00:06.0/block/sda");
    tree.link("/sys/dev/block/8:0", "/sys/devices/pci0000:00/0000:00:06.0/block/sda");
    tree.write("/proc/self/mountinfo", "29 1 8:0 / / rw - ext4 /dev/sda rw\n");
    assertThat(use()).isEmpty();
  }

  @Test
  void by_networkInterfaceThatIsUp() throws IOException {
    tree.write(device + "/net/eth0/flags", "0x1003\n");
    tree.link("/sys/class/net/eth0", device + "/net/eth0");
    assertThat(use()).contains("its network interface eth0 is up");
  }

  @Test
  void by_networkInterfaceThatIsDownButRouted() throws IOException {
    tree.write(device + "/net/eth0/flags", "0x1002\n");
    tree.link("/sys/class/net/eth0", device + "/net/eth0");
    assertThat(use()).isEmpty();
    tree.write("/proc/net/route", "Iface\tDestination\neth0\t00000000\n");
    assertThat(use()).contains("its network interface eth0 has a route");
  }

  @Test
  void by_processThatHoldsItsAccelNode() throws IOException {
    tree.directory(device + "/accel/accel2");
    tree.process(4711, "python3", "/dev/accel2");
    assertThat(use()).contains("process 4711 (python3) holds /dev/accel2");
  }

  @Test
  void by_whatCannotBeToldIsAFailure() throws IOException {
    Files.delete(tree.path("/proc/self/mountinfo"));
    assertThatIOException().isThrownBy(this::use);
  }
}
