package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.HostRoot;

/** Plain files that look like a host's /sys, /proc and /dev. Nothing reacts to a write. */
final class HostTree {

  private final Path directory;

  HostTree(Path directory) throws IOException {
    this.directory = directory;
    write("/proc/cmdline", "ro quiet");
    write("/proc/cpuinfo", "vendor_id\t: GenuineIntel\n");
    write("/proc/self/mountinfo", "");
    write("/sys/bus/pci/drivers_probe", "");
    directory("/sys/bus/pci/drivers/vfio-pci");
    write(UnsafeInterrupts.PATH, "Y\n");
    directory("/sys/bus/pci/devices");
    directory("/dev/vfio");
  }

  HostRoot root() {
    return new HostRoot(directory);
  }

  Path path(String onHost) {
    return root().resolve(onHost);
  }

  void write(String onHost, String text) throws IOException {
    Path file = path(onHost);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  String read(String onHost) throws IOException {
    return Files.readString(path(onHost));
  }

  void directory(String onHost) throws IOException {
    Files.createDirectories(path(onHost));
  }

  void link(String onHost, String target) throws IOException {
    Path link = path(onHost);
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, path(target));
  }

  /** To Java a FIFO is what a device node is: no file, no directory and no link. */
  void fifo(String onHost, String mode) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("mkfifo", "-m", mode, path(onHost).toString()).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IOException("mkfifo failed");
    }
  }

  /** A process that has a node open. */
  void process(int pid, String name, String node) throws IOException {
    write("/proc/" + pid + "/comm", name + "\n");
    directory("/proc/" + pid + "/fd");
    Files.createSymbolicLink(path("/proc/" + pid + "/fd/3"), Path.of(node));
  }

  /** A function without driver and group; ids as {@code 1ae0:0062:1ae0:00ad}. */
  String function(String bdf, String ids) throws IOException {
    String directory = "/sys/devices/pci0000:00/" + bdf;
    String[] id = ids.split(":");
    write(directory + "/vendor", "0x" + id[0] + "\n");
    write(directory + "/device", "0x" + id[1] + "\n");
    write(directory + "/subsystem_vendor", "0x" + id[2] + "\n");
    write(directory + "/subsystem_device", "0x" + id[3] + "\n");
    write(directory + "/class", "0xff0000\n");
    write(directory + "/numa_node", "1\n");
    write(directory + "/driver_override", "(null)\n");
    link("/sys/bus/pci/devices/" + bdf, directory);
    return directory;
  }

  /** A v5p's function in a group of its own. */
  String v5p(String bdf, String group) throws IOException {
    String directory = function(bdf, "1ae0:0062:1ae0:00ad");
    directory("/sys/kernel/iommu_groups/" + group);
    link("/sys/kernel/iommu_groups/" + group + "/devices/" + bdf, directory);
    link(directory + "/iommu_group", "/sys/kernel/iommu_groups/" + group);
    return directory;
  }

  void driver(String bdf, String driver) throws IOException {
    write("/sys/bus/pci/drivers/" + driver + "/unbind", "");
    link("/sys/devices/pci0000:00/" + bdf + "/driver", "/sys/bus/pci/drivers/" + driver);
  }

  static DevicesConfig config() {
    return config(DevicesConfig.UnsafeInterrupts.AUTO, List.of());
  }

  static DevicesConfig config(
      DevicesConfig.UnsafeInterrupts unsafe, List<DevicesConfig.GenerationRow> rows) {
    return new DevicesConfig(
        true,
        true,
        0666,
        unsafe,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Duration.ofMillis(500),
        rows);
  }
}
