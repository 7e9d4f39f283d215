package org.tpubootd.host;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The arguments that a kernel is started with, and what a TPU host needs of them. */
public record KernelArguments(List<String> words) {

  /** Processors do not go to sleep. */
  public static final String IDLE = "idle=poll";

  public static final String HUGE_PAGES = "transparent_hugepage=always";

  /** For {@link #SCALABLE_MODE} on Intel's processors; others do not look at it. */
  public static final String IOMMU = "intel_iommu=on,sm_on";

  /** The generations for which Google's page asks for the Intel IOMMU in scalable mode. */
  public static final Set<String> SCALABLE_MODE = Set.of("v5p", "tpu7x");

  private static final String INTEL = "intel_iommu=";

  public KernelArguments {
    words = List.copyOf(words);
  }

  /**
   * Takes a command line apart.
   *
   * @param line as in /proc/cmdline
   */
  public static KernelArguments of(String line) {
    return new KernelArguments(List.of(line.strip().split("\\s+")));
  }

  public boolean has(String argument) {
    return words.contains(argument);
  }

  /** The argument that switches the IOMMU off, whosever it is. */
  public Optional<String> iommuOff() {
    return first("(intel_iommu|amd_iommu|iommu)=(.*,)?off(,.*)?");
  }

  /** The argument by which the kernel refuses a module that binding needs. */
  public Optional<String> vfioOff() {
    return first("module_blacklist=(.*,)?vfio(_pci(_core)?|_iommu_type1)?(,.*)?");
  }

  private Optional<String> first(String pattern) {
    return words.stream().filter(word -> word.matches(pattern)).findFirst();
  }

  public boolean switchesIntelIommuOn() {
    return intelOptions().contains("on");
  }

  /** The kernel takes the options of one argument in any order, and of several arguments too. */
  public boolean hasScalableMode() {
    return intelOptions().containsAll(List.of("on", "sm_on"));
  }

  private List<String> intelOptions() {
    return words.stream()
        .filter(word -> word.startsWith(INTEL))
        .flatMap(word -> Arrays.stream(word.substring(INTEL.length()).split(",")))
        .toList();
  }
}
