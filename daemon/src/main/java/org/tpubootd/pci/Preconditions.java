package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import org.tpubootd.config.HostRoot;
import org.tpubootd.host.KernelArguments;

/** What the kernel must be like for vfio, and in words what it lacks. */
final class Preconditions {

  private final HostRoot root;

  Preconditions(HostRoot root) {
    this.root = root;
  }

  /** Whose processor it is, as far as kernel arguments depend on it. */
  private enum Processor {
    INTEL,
    AMD,
    /** Arm and others: no vendor_id in /proc/cpuinfo. */
    OTHER
  }

  private Processor processor() {
    String info = text("/proc/cpuinfo").orElse("");
    if (info.contains("GenuineIntel")) {
      return Processor.INTEL;
    }
    return info.contains("AuthenticAMD") ? Processor.AMD : Processor.OTHER;
  }

  /**
   * Whether the processor is an x86-64, by what it says of itself. Not by the whole of {@code uname
   * -a}, as the page has it: a host may be called x86_64.
   */
  boolean isX86() {
    return processor() != Processor.OTHER;
  }

  /** A function has no IOMMU group: says which kernel argument is missing, or that none is. */
  Problem iommuOff() {
    String title = "the IOMMU is off";
    var arguments = KernelArguments.of(text("/proc/cmdline").orElse(""));
    Optional<String> off = arguments.iommuOff();
    if (off.isPresent()) {
      return Problem.of(
          title,
          "it has no IOMMU group, since the kernel was started with " + off.get(),
          "take %s off the kernel's command line and reboot".formatted(off.get()));
    }
    return switch (processor()) {
      case INTEL ->
          arguments.switchesIntelIommuOn()
              ? Problem.of(
                  title,
                  "it has no IOMMU group although intel_iommu=on is on the kernel's command line",
                  "look for DMAR in the kernel's log (dmesg); the VM may have no IOMMU")
              : Problem.of(
                  title,
                  "it has no IOMMU group, since the kernel argument intel_iommu=on,sm_on is missing"
                      + " from /proc/cmdline",
                  "add intel_iommu=on,sm_on to the kernel's command line (GRUB_CMDLINE_LINUX), run"
                      + " update-grub and reboot");
      case AMD ->
          Problem.of(
              title,
              "it has no IOMMU group; an AMD processor needs no kernel argument for it"
                  + " (intel_iommu= does nothing there)",
              "look for AMD-Vi in the kernel's log (dmesg); the VM may have no IOMMU");
      case OTHER ->
          Problem.of(
              title,
              "it has no IOMMU group; this processor needs no kernel argument for it",
              "look for iommu in the kernel's log (dmesg); the VM may have no IOMMU");
    };
  }

  /** vfio-pci is neither loaded nor built in, and could not be loaded. */
  Problem moduleMissing(String attempt) {
    boolean lockedDown =
        text("/sys/kernel/security/lockdown")
            .filter(modes -> modes.contains("[integrity]") || modes.contains("[confidentiality]"))
            .isPresent();
    return Problem.of(
        "the module vfio-pci is missing",
        "/sys/bus/pci/drivers/vfio-pci is not there, and " + attempt,
        "install the kernel's module vfio-pci (on Ubuntu in linux-modules-extra for the running"
            + " kernel)"
            + (lockedDown
                ? "; kernel lockdown is on, which takes signed modules only"
                : ", or boot a kernel that has it"));
  }

  private Optional<String> text(String path) {
    try {
      return Optional.of(Files.readString(root.resolve(path)));
    } catch (IOException e) {
      return Optional.empty(); // what it would have said is then unknown, and said to be so
    }
  }
}
