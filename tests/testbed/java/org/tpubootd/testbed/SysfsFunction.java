package org.tpubootd.testbed;

import java.util.Map;
import java.util.Optional;

/**
 * What a PCI function of the tree is.
 *
 * @param classCode six hex digits
 * @param ownDriver the driver that takes it when nothing overrides that
 * @param group number of its IOMMU group
 */
record SysfsFunction(
    String bdf,
    String vendor,
    String device,
    String subsystemVendor,
    String subsystemDevice,
    String classCode,
    Optional<String> ownDriver,
    int group) {

  static final int FIRST_TPU_GROUP = 8;
  static final String ACCEL_DRIVER = "google-accel";

  /** The ids of a generation: written down again, so that a slip in the daemon's table shows. */
  record Generation(String device, String subsystemDevice, boolean accel, int functionsPerChip) {}

  static final Map<String, Generation> GENERATIONS =
      Map.of(
          "v2", new Generation("0027", "004e", true, 1),
          "v3", new Generation("0027", "004f", true, 1),
          "v4", new Generation("005e", "0001", true, 1),
          "v5p", new Generation("0062", "00ad", false, 1),
          "v5e", new Generation("0063", "0001", false, 1),
          "v6e", new Generation("006f", "00d1", false, 1),
          "tpu7x", new Generation("0076", "00f2", false, 2));

  static SysfsFunction tpu(Generation generation, String bdf, int group) {
    return new SysfsFunction(
        bdf,
        "1ae0",
        generation.device(),
        "1ae0",
        generation.subsystemDevice(),
        "ff0000",
        generation.accel() ? Optional.of(ACCEL_DRIVER) : Optional.empty(),
        group);
  }

  SysfsFunction withOwnDriver(String driver) {
    return new SysfsFunction(
        bdf,
        vendor,
        device,
        subsystemVendor,
        subsystemDevice,
        classCode,
        Optional.of(driver),
        group);
  }

  SysfsFunction withGroup(int group) {
    return new SysfsFunction(
        bdf, vendor, device, subsystemVendor, subsystemDevice, classCode, ownDriver, group);
  }

  /** The directory that everything else links to. */
  String directory() {
    return "/sys/devices/pci0000:00/" + bdf;
  }

  String link() {
    return "/sys/bus/pci/devices/" + bdf;
  }

  String groupDirectory() {
    return "/sys/kernel/iommu_groups/" + group;
  }
}
