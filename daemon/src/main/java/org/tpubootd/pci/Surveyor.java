package org.tpubootd.pci;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.DevicesConfig.GenerationRow;
import org.tpubootd.config.DevicesConfig.NodeKind;
import org.tpubootd.config.HostRoot;
import org.tpubootd.pci.Generations.Identity;
import org.tpubootd.pci.Nodes.Node;

/** Looks at the machine and changes nothing. */
final class Surveyor {

  private static final String IN_USE = "a function is in use";

  /**
   * Drivers with which a member leaves its group usable: the kernel counts these as not touching
   * memory on their own (their driver_managed_dma is set).
   */
  private static final Set<String> HARMLESS = Set.of(Sysfs.VFIO_PCI, "pci-stub", "pcieport");

  private final Generations generations;
  private final KernelFiles kernel;
  private final Sysfs sysfs;
  private final Nodes nodes;
  private final Holders holders;
  private final InUse inUse;
  private final Preconditions preconditions;
  private final UnsafeInterrupts unsafeInterrupts;

  Surveyor(HostRoot root, Generations generations, KernelFiles kernel, Holders holders) {
    this.generations = generations;
    this.kernel = kernel;
    this.holders = holders;
    sysfs = new Sysfs(root);
    nodes = new Nodes(root);
    inUse = new InUse(root, holders);
    preconditions = new Preconditions(root);
    unsafeInterrupts = new UnsafeInterrupts(root);
  }

  Survey look() throws IOException, InterruptedException {
    Sysfs.Scan scan = sysfs.scan();
    var notes = new LinkedHashSet<>(scan.unreadable());
    notes.addAll(generations.refusedRows());
    List<Node> accelNodes = nodes.accel().stream().filter(Node::isDevice).toList();
    int accelSeen = 0;
    var tpus = new ArrayList<Tpu>();
    for (PciFunction function : scan.functions()) {
      switch (generations.identify(function)) {
        case Identity.Tpu(GenerationRow row) when row.node() == NodeKind.ACCEL ->
            tpus.add(accelTpu(function, row, accelNodes, accelSeen++));
        case Identity.Tpu(GenerationRow row) -> tpus.add(vfioTpu(function, row, notes));
        case Identity.Reported(String sentence) -> notes.add(sentence);
        case Identity.Other() -> {}
      }
    }
    return new Survey(
        List.copyOf(holdBackWholeGroups(tpus)),
        sysfs.hasDriver(Sysfs.VFIO_PCI),
        sysfs.hasModule("vfio_iommu_type1"),
        nodes.look(Nodes.VFIO_CONTAINER),
        unsafeInterrupts.look(kernel),
        List.copyOf(notes));
  }

  /** The n-th function has the n-th node: see RATIONALE.md. */
  private static Tpu accelTpu(
      PciFunction function, GenerationRow row, List<Node> accelNodes, int index) {
    if (index < accelNodes.size()) {
      return new Tpu(function, row, Optional.of(accelNodes.get(index)), Optional.empty());
    }
    return new Tpu(
        function,
        row,
        Optional.empty(),
        Optional.of(
            Problem.of(
                "/dev/accel nodes are missing",
                "a %s needs a node /dev/accelN of Google's own driver, but there are %d such nodes"
                        .formatted(row.name(), accelNodes.size())
                    + " (the function has %s)".formatted(function.driverText()),
                "use an image that has the driver of this generation, or look into the kernel's"
                    + " log for why it made no node")));
  }

  private Tpu vfioTpu(PciFunction function, GenerationRow row, Set<String> notes)
      throws IOException {
    Optional<String> group = function.group();
    Optional<Node> node = Optional.empty();
    if (group.isPresent()) {
      node = Optional.of(nodes.look("/dev/vfio/" + group.get()));
    }
    return new Tpu(function, row, node, obstacle(function, notes));
  }

  private Optional<Problem> obstacle(PciFunction function, Set<String> notes) throws IOException {
    Optional<String> hanging = kernel.hanging(function.bdf());
    if (hanging.isPresent()) {
      return Optional.of(hang(function, hanging.get() + " has not come back"));
    }
    if (function.group().isEmpty()) {
      return Optional.of(preconditions.iommuOff());
    }
    String group = function.group().get();
    if (sysfs.isNoIommu(group) || nodes.hasNoIommuNode(group)) {
      return Optional.of(
          Problem.of(
              "vfio runs without an IOMMU",
              "its node is /dev/vfio/noiommu-%s: vfio was told to go without an IOMMU"
                      .formatted(group)
                  + " (enable_unsafe_noiommu_mode), which TPU programs do not use",
              "switch the IOMMU on and enable_unsafe_noiommu_mode off, then reboot"));
    }
    Optional<Problem> foreign = foreignMember(group, notes);
    if (foreign.isPresent() || function.boundTo(Sysfs.VFIO_PCI) || function.driver().isEmpty()) {
      return foreign;
    }
    return used(function);
  }

  /** A write that hangs: which one, and who has the device open, as that is what it waits for. */
  Problem hang(PciFunction function, String sentence) {
    var candidates = new HashSet<>(InUse.accelNodes(sysfs.device(function.bdf())));
    function.group().ifPresent(group -> candidates.add("/dev/vfio/" + group));
    List<String> held = holders.of(candidates);
    return Problem.of(
        "a write to sysfs hangs",
        sentence
            + "; "
            + (held.isEmpty() ? "no process has its node open" : String.join(", ", held)),
        (held.isEmpty() ? "look into the kernel's log (dmesg) and reboot" : "end that process")
            + "; until it comes back nothing more is written to this function");
  }

  private Optional<Problem> foreignMember(String group, Set<String> notes) throws IOException {
    for (PciFunction member : sysfs.members(group)) {
      boolean ours =
          generations.identify(member) instanceof Identity.Tpu(GenerationRow row)
              && row.node() == NodeKind.VFIO;
      if (ours || member.isBridge() || member.driver().filter(HARMLESS::contains).isPresent()) {
        continue;
      }
      String who = "%s (%s, %s)".formatted(member.bdf(), member.ids(), member.driverText());
      if (member.driver().isPresent()) {
        return Optional.of(
            Problem.of(
                "IOMMU group " + group + " is blocked",
                "its IOMMU group %s also has %s, and vfio gives a group to a program only as a whole"
                    .formatted(group, who),
                "unbind %s from its driver if the host can do without it".formatted(member.bdf())));
      }
      notes.add(
          "IOMMU group %s also has %s: the TPU becomes unusable when a driver takes it"
              .formatted(group, who));
    }
    return Optional.empty();
  }

  private Optional<Problem> used(PciFunction function) {
    try {
      return inUse
          .by(function)
          .map(use ->
              Problem.of(
                  IN_USE,
                  "it is not taken from its driver %s, since %s"
                      .formatted(function.driver().orElse(""), use),
                  "end the use, or correct the row of devices.generations that names it"));
    } catch (IOException e) {
      return Optional.of(
          Problem.of(
              IN_USE,
              "it is not taken from its driver %s, since it cannot be told whether it is in use: %s"
                  .formatted(function.driver().orElse(""), KernelFiles.reason(e)),
              "make /proc/self/mountinfo readable for tpu-bootd"));
    }
  }

  /** One that must not be touched keeps the rest of its group from being bound. */
  private static List<Tpu> holdBackWholeGroups(List<Tpu> tpus) {
    var blockers =
        tpus.stream()
            .filter(tpu -> tpu.obstacle().isPresent() && tpu.function().group().isPresent())
            .collect(
                Collectors.toMap(
                    tpu -> tpu.function().group().orElseThrow(), tpu -> tpu, (first, _) -> first));
    return tpus.stream()
        .map(tpu -> {
          Tpu blocker = blockers.get(tpu.function().group().orElse(""));
          return blocker == null || !tpu.needsBinding()
              ? tpu
              : new Tpu(
                  tpu.function(),
                  tpu.row(),
                  tpu.node(),
                  Optional.of(
                      Problem.of(
                          "IOMMU group %s is blocked"
                              .formatted(tpu.function().group().orElseThrow()),
                          "its IOMMU group also has %s, where %s"
                              .formatted(blocker.bdf(), blocker.obstacle().orElseThrow().title()),
                          blocker.obstacle().orElseThrow().action())));
        })
        .toList();
  }

  boolean wantsUnsafeInterrupts(DevicesConfig config) {
    return UnsafeInterrupts.wanted(config, preconditions.isX86());
  }
}
