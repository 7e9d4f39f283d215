package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.HostRoot;

/**
 * The parameter {@code allow_unsafe_interrupts} of vfio_iommu_type1. VMs of Compute Engine have no
 * interrupt remapping, and without it vfio refuses to give a device to a program ("Operation not
 * permitted" at VFIO_SET_IOMMU) unless this is on.
 */
final class UnsafeInterrupts {

  /** For the deadline: the parameter has a lock of its own. */
  static final String OWNER = "allow_unsafe_interrupts";

  static final String PATH = "/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts";

  private static final String RISK =
      "whoever may open a node under /dev/vfio can raise interrupts of the host";

  private final Path file;

  UnsafeInterrupts(HostRoot root) {
    file = root.resolve(PATH);
  }

  Path file() {
    return file;
  }

  /** How the parameter is. */
  enum Value {
    ON,
    OFF,
    /** Off, and the kernel does not let it be changed. */
    FIXED_OFF,
    MISSING
  }

  /** One that cannot be read counts as off: the write then tells what is wrong. */
  Value look(KernelFiles kernel) throws InterruptedException {
    if (!Files.exists(file)) {
      return Value.MISSING;
    }
    try {
      String text = kernel.read(OWNER, file);
      if (text.equals("Y") || text.equals("1")) {
        return Value.ON;
      }
      // By the mode, not by asking the kernel whether we may write: root may, and still cannot.
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OWNER_WRITE)
          ? Value.OFF
          : Value.FIXED_OFF;
    } catch (IOException e) {
      return Value.OFF;
    }
  }

  static boolean wanted(DevicesConfig config, boolean x86) {
    return switch (config.unsafeInterrupts()) {
      case AUTO -> x86;
      case ALWAYS -> true;
      case NEVER -> false;
    };
  }

  /** What a person should know of it. */
  static List<String> notes(Value value, boolean wanted) {
    return switch (value) {
      case ON ->
          List.of(
              wanted
                  ? "allow_unsafe_interrupts is on, since VMs have no interrupt remapping: "
                      + RISK
                      + "; with `devices.allow-unsafe-interrupts: never` tpu-bootd does not set it"
                  : "allow_unsafe_interrupts is on: " + RISK + "; tpu-bootd did not set it");
      case FIXED_OFF ->
          wanted
              ? List.of(
                  "allow_unsafe_interrupts is off and read-only in this kernel: without interrupt"
                      + " remapping programs cannot use the TPU")
              : List.of();
      case MISSING ->
          wanted
              ? List.of(
                  "allow_unsafe_interrupts cannot be set: this kernel has no "
                      + PATH
                      + "; without interrupt remapping programs cannot use the TPU")
              : List.of();
      case OFF -> List.of();
    };
  }
}
