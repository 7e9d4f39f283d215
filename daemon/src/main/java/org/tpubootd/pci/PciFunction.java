package org.tpubootd.pci;

import java.util.Optional;

/**
 * One PCI function as sysfs shows it. Ids are four hex digits in lower case without 0x; empty where
 * a member of an IOMMU group is no PCI function.
 *
 * @param bdf its address with domain, such as {@code 0000:00:05.0}
 * @param classCode six hex digits
 * @param driver the driver that the link names
 * @param group number of the IOMMU group; empty where the IOMMU is off
 * @param numa the NUMA node, -1 where the host has only one or does not tell
 */
record PciFunction(
    String bdf,
    String vendor,
    String device,
    String subsystemVendor,
    String subsystemDevice,
    String classCode,
    Optional<String> driver,
    Optional<String> group,
    int numa) {

  static final String GOOGLE = "1ae0";

  boolean isGoogle() {
    return vendor.equals(GOOGLE);
  }

  /** Bridges may sit in a group with endpoints: the kernel passes over them, and so do we. */
  boolean isBridge() {
    return classCode.startsWith("06");
  }

  boolean boundTo(String name) {
    return driver.filter(name::equals).isPresent();
  }

  /** The slot, which the functions of one chip share: the address without the function. */
  String slot() {
    int dot = bdf.lastIndexOf('.');
    return dot < 0 ? bdf : bdf.substring(0, dot);
  }

  /** For messages: {@code 1ae0:0062, subsystem 1ae0:00ad}. */
  String ids() {
    return vendor.isEmpty()
        ? "no PCI ids"
        : "%s:%s, subsystem %s:%s".formatted(vendor, device, subsystemVendor, subsystemDevice);
  }

  /** For messages: {@code driver nvme} or {@code no driver}. */
  String driverText() {
    return driver.map(name -> "driver " + name).orElse("no driver");
  }
}
