package org.tpubootd.pci;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import org.tpubootd.pci.Nodes.Node;

/**
 * What one look saw.
 *
 * @param vfioDriver whether the kernel has the driver vfio-pci
 * @param type1Module whether it has vfio_iommu_type1, through which programs map their memory
 * @param container the node {@code /dev/vfio/vfio}
 * @param notes what a person should know although nothing is done about it
 */
record Survey(
    List<Tpu> tpus,
    boolean vfioDriver,
    boolean type1Module,
    Node container,
    UnsafeInterrupts.Value unsafeInterrupts,
    List<String> notes) {

  List<Tpu> toBind() {
    return tpus.stream().filter(Tpu::needsBinding).toList();
  }

  /** What is to be bound, by IOMMU group: a group is usable as a whole or not at all. */
  Collection<List<Tpu>> groupsToBind() {
    return toBind().stream()
        .collect(
            Collectors.groupingBy(
                tpu -> tpu.function().group().orElseThrow(),
                LinkedHashMap::new,
                Collectors.toList()))
        .values();
  }

  /** Whether there is a function for which vfio has to be in order. */
  boolean needsVfio() {
    return tpus.stream().anyMatch(tpu -> tpu.isVfio() && tpu.obstacle().isEmpty());
  }

  /** Whether a function is bound, so that all that comes with vfio must be there. */
  boolean hasBoundVfio() {
    return tpus.stream().anyMatch(tpu -> tpu.isVfio() && tpu.obstacle().isEmpty() && tpu.isBound());
  }
}
