package org.tpubootd.tests.vm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What QEMU is told to be: by the look of its firmware a machine of Compute Engine, with an IOMMU.
 *
 * @param kernelArguments to boot the kernel with directly; by GRUB and with its arguments where
 *     there are none
 * @param devices further options of QEMU
 * @param disk what is booted from
 * @param keepsWrites whether the disk is written to
 */
record Hardware(
    Optional<String> kernelArguments, List<String> devices, Path disk, boolean keepsWrites) {

  /** The v5p host: four chips, each in an IOMMU group of its own. */
  private static final List<String> CHIPS =
      List.of("-device", "edu", "-device", "edu", "-device", "edu", "-device", "edu");

  /** A chip and a network card with its driver in one IOMMU group: both behind one bridge. */
  private static final List<String> SHARED_GROUP =
      List.of(
          "-device",
          "pcie-pci-bridge,id=shared",
          "-device",
          "edu,bus=shared,addr=1",
          "-netdev",
          "user,id=spare,restrict=on",
          "-device",
          "e1000,bus=shared,addr=2,netdev=spare,romfile=");

  /** Boots by GRUB from a disk that remembers. */
  static Hardware host(Path disk) {
    return new Hardware(Optional.empty(), CHIPS, disk, true);
  }

  /** Boots the kernel with these arguments; what is written to the image's disk is forgotten. */
  static Hardware trial(LabImage image, String kernelArguments) {
    return new Hardware(Optional.of(kernelArguments), CHIPS, image.disk(), false);
  }

  Hardware withSharedGroup() {
    var more = new ArrayList<>(devices);
    more.addAll(SHARED_GROUP);
    return new Hardware(kernelArguments, more, disk, keepsWrites);
  }

  List<String> commandLine(LabImage image, Path console, int sshPort, int metadataPort) {
    var line = new ArrayList<String>();
    line.addAll(List.of(image.qemu().toString(), "-L", "/usr/share/qemu"));
    line.addAll(List.of("-L", "/usr/share/seabios", "-no-user-config", "-nodefaults"));
    // No hardware acceleration: build machines seldom have any that works.
    line.addAll(List.of("-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "2048"));
    line.addAll(List.of("-machine", "q35,kernel-irqchip=split"));
    line.addAll(List.of("-device", "intel-iommu,intremap=on,caching-mode=on"));
    line.addAll(List.of("-smbios", "type=1,manufacturer=Google,product=Google Compute Engine"));
    // GRUB does not start without a screen, though nobody looks at it.
    line.addAll(List.of("-display", "none", "-vga", "std"));
    line.addAll(List.of("-serial", "file:" + console, "-no-reboot"));
    String write = keepsWrites ? "" : ",snapshot=on";
    line.addAll(List.of("-drive", "file=" + disk + ",format=raw,if=virtio,cache=unsafe" + write));
    line.addAll(
        List.of("-netdev", "user,id=net,hostfwd=tcp:127.0.0.1:" + sshPort + "-:22", "-device"));
    line.add("virtio-net-pci,netdev=net,romfile=");
    line.addAll(List.of("-fw_cfg", "name=opt/lab/metadata-port,string=" + metadataPort));
    line.addAll(devices);
    kernelArguments.ifPresent(arguments ->
        line.addAll(
            List.of(
                "-kernel",
                image.kernel().toString(),
                "-initrd",
                image.initrd().toString(),
                "-append",
                "root=/dev/vda1 ro console=ttyS0 " + arguments)));
    return line;
  }
}
