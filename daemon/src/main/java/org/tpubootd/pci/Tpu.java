package org.tpubootd.pci;

import java.util.Optional;
import org.tpubootd.config.DevicesConfig.GenerationRow;
import org.tpubootd.config.DevicesConfig.NodeKind;
import org.tpubootd.pci.Nodes.Node;

/**
 * A PCI function of a TPU as one look saw it.
 *
 * @param row what it is by the table
 * @param node its device node, also where it is missing; empty where there can be none
 * @param obstacle why it is not to be touched, or cannot be used whatever we do
 */
record Tpu(
    PciFunction function, GenerationRow row, Optional<Node> node, Optional<Problem> obstacle) {

  String bdf() {
    return function.bdf();
  }

  /** For messages: {@code 0000:00:05.0 (v5p)}. */
  String name() {
    return "%s (%s)".formatted(function.bdf(), row.name());
  }

  boolean isVfio() {
    return row.node() == NodeKind.VFIO;
  }

  /** Whether the driver is the right one. Which one Google's accel driver is, is not public. */
  boolean isBound() {
    return !isVfio() || function.boundTo(Sysfs.VFIO_PCI);
  }

  boolean needsBinding() {
    return obstacle.isEmpty() && !isBound();
  }
}
