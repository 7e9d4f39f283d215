package org.tpubootd.pci;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tpubootd.config.DevicesConfig.GenerationRow;

/**
 * The chips among the PCI functions of a host. Where a chip has several functions, they share its
 * slot; one of which not all are here counts as whole.
 */
final class Chips {

  private final List<Tpu> tpus;

  Chips(List<Tpu> tpus) {
    this.tpus = tpus;
  }

  List<GenerationRow> rows() {
    return tpus.stream().map(Tpu::row).distinct().toList();
  }

  int count() {
    return rows().stream().mapToInt(this::count).sum();
  }

  int count(GenerationRow row) {
    return functionsBySlot(row).values().stream()
        .mapToInt(functions -> Math.ceilDiv(functions.intValue(), row.functionsPerChip()))
        .sum();
  }

  Map<String, Long> functionsBySlot(GenerationRow row) {
    return tpus.stream()
        .filter(tpu -> tpu.row().equals(row))
        .collect(
            Collectors.groupingBy(
                tpu -> tpu.function().slot(), LinkedHashMap::new, Collectors.counting()));
  }

  /** Such as "v5p". */
  String generations() {
    return rows().stream().map(GenerationRow::name).distinct().collect(Collectors.joining("/"));
  }

  /** Such as "4 v5p chips". */
  String text() {
    return rows().stream()
        .map(
            row -> "%d %s %s".formatted(count(row), row.name(), count(row) == 1 ? "chip" : "chips"))
        .collect(Collectors.joining(", "));
  }

  /** Such as "4 chips". */
  static String text(int number) {
    return number == 1 ? "1 chip" : number + " chips";
  }
}
