package org.tpubootd.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The TPU's PCI functions.
 *
 * @param nodeMode permission bits of the device nodes
 * @param unsafeInterrupts whether vfio may be told to go without interrupt remapping
 * @param writeDeadline limit for each write to sysfs, and for what must follow from it
 * @param interval how often everything is looked at again unasked
 * @param appearance how often the list of PCI functions is looked at for new ones
 * @param generations rows added to the built-in table, or replacing one of the same ids
 */
public record DevicesConfig(
    boolean enabled,
    boolean required,
    int nodeMode,
    UnsafeInterrupts unsafeInterrupts,
    Duration writeDeadline,
    Duration interval,
    Duration appearance,
    List<GenerationRow> generations) {

  /** When {@code allow_unsafe_interrupts} of vfio_iommu_type1 is set. */
  public enum UnsafeInterrupts {
    /** On x86-64 only, as Google's page has it: its VMs have no interrupt remapping. */
    AUTO,
    ALWAYS,
    NEVER
  }

  /** What kind of device node a generation has. */
  public enum NodeKind {
    /** /dev/vfio/GROUP: bound to vfio-pci by us. */
    VFIO,
    /** /dev/accelN: made by Google's own driver, never bound by us. */
    ACCEL
  }

  /**
   * One row of the table of generations.
   *
   * @param name as people call it: v5p
   * @param device PCI device id, four hex digits without 0x
   * @param subsystemDevice PCI subsystem device id; null where it is not public: any fits
   * @param chipsPerHost the numbers of chips that a host of this generation can have
   * @param functionsPerChip PCI functions of this row that make one chip
   */
  public record GenerationRow(
      String name,
      String device,
      @Nullable String subsystemDevice,
      NodeKind node,
      List<Integer> chipsPerHost,
      int functionsPerChip) {

    static GenerationRow from(Section section) {
      return new GenerationRow(
          section.requiredText("name"),
          section.requiredPattern("device", "[0-9a-f]{4}", "four hex digits such as 0062"),
          section
              .optionalPattern("subsystem-device", "[0-9a-f]{4}", "four hex digits such as 00ad")
              .orElse(null),
          section.choice("node", NodeKind.VFIO),
          section.integers("chips-per-host", List.of()),
          section.integer("functions-per-chip", 1, 1, 64));
    }

    public Optional<String> subsystemDeviceIfAny() {
      return Optional.ofNullable(subsystemDevice);
    }
  }

  static DevicesConfig from(Section section) {
    return new DevicesConfig(
        section.flag("enabled", true),
        section.flag("required", true),
        section.mode("node-mode", 0666),
        section.choice("allow-unsafe-interrupts", UnsafeInterrupts.AUTO),
        section.duration("write-deadline", Duration.ofSeconds(10)),
        section.duration("interval", Duration.ofSeconds(10)),
        section.duration("appearance", Duration.ofMillis(500)),
        section.sections("generations").stream().map(GenerationRow::from).toList());
  }
}
