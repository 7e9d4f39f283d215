package org.tpubootd.testbed;

import java.io.IOException;

/** The parts of the host that are there before any TPU: processor, memory, disk, network card. */
final class SysfsHost {

  private static final String NVME = "/sys/devices/pci0000:00/0000:00:03.0/nvme/nvme0/nvme0n1";
  private static final String ETH0 = "/sys/devices/pci0000:00/0000:00:04.0/net/eth0";

  static final String PARAMETER = "/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts";

  private final SysfsFiles files;

  SysfsHost(SysfsFiles files) {
    this.files = files;
  }

  void makeProc(boolean iommu) throws IOException {
    files.write(
        "/proc/cmdline",
        "BOOT_IMAGE=/boot/vmlinuz-6.8.0-1021-gcp root=PARTUUID=9f3c1a52-01 ro console=ttyS0"
            + " idle=poll"
            + (iommu ? " intel_iommu=on,sm_on" : "")
            + " transparent_hugepage=always\n");
    files.write(
        "/proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nflags\t\t: fpu lm\n");
    files.write("/proc/mounts", "/dev/nvme0n1 / ext4 rw,relatime 0 0\n");
    files.write(
        "/proc/self/mountinfo", "29 1 259:0 / / rw,relatime shared:1 - ext4 /dev/nvme0n1 rw\n");
    files.write("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
    files.write(
        "/proc/net/route", "Iface\tDestination\tGateway\tFlags\neth0\t00000000\t0101800A\t0003\n");
    files.write(
        "/proc/self/limits",
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            100000               100000               files
        Max locked memory         unlimited            unlimited            bytes
        """);
    files.write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    files.write("/sys/class/dmi/id/product_name", "Google Compute Engine\n");
  }

  /** Loads vfio: its driver, its parameter, the node that all groups share. */
  void loadVfio() throws IOException {
    makeDriver("vfio-pci");
    files.write(PARAMETER, "N\n");
    if (!files.isFifo("/dev/vfio/vfio")) {
      files.fifo("/dev/vfio/vfio", "600");
    }
  }

  void makeDriver(String name) throws IOException {
    files.write("/sys/bus/pci/drivers/" + name + "/bind", "");
    files.write("/sys/bus/pci/drivers/" + name + "/unbind", "");
  }

  /** What hangs on the disk and the network card: a mounted root, an interface with a route. */
  void makeDiskAndNetwork() throws IOException {
    files.write(NVME + "/dev", "259:0\n");
    files.link("/sys/class/block/nvme0n1", NVME);
    files.link("/sys/dev/block/259:0", NVME);
    files.write("/dev/nvme0n1", "");
    files.write(ETH0 + "/flags", "0x1003\n");
    files.write(ETH0 + "/operstate", "up\n");
    files.link("/sys/class/net/eth0", ETH0);
  }

  /** The files of a function. The link on the bus comes last: then all the rest is there. */
  void makeFunction(SysfsFunction function, boolean iommu) throws IOException {
    String directory = function.directory();
    files.write(directory + "/vendor", "0x" + function.vendor() + "\n");
    files.write(directory + "/device", "0x" + function.device() + "\n");
    files.write(directory + "/subsystem_vendor", "0x" + function.subsystemVendor() + "\n");
    files.write(directory + "/subsystem_device", "0x" + function.subsystemDevice() + "\n");
    files.write(directory + "/class", "0x" + function.classCode() + "\n");
    files.write(directory + "/numa_node", "0\n");
    files.write(directory + "/driver_override", "(null)\n");
    files.write(directory + "/remove", "");
    if (iommu) {
      files.link(function.groupDirectory() + "/devices/" + function.bdf(), directory);
      files.link(directory + "/iommu_group", function.groupDirectory());
    }
    files.link(function.link(), directory);
  }

  void removeFunction(SysfsFunction function) throws IOException {
    files.delete(function.link());
    files.delete(function.groupDirectory() + "/devices/" + function.bdf());
    files.deleteAll(function.directory());
  }
}
