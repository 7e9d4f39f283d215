package org.tpubootd.pci;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Step;
import org.tpubootd.pci.Nodes.Node;

/**
 * The changes of one pass. {@link #steps} and {@link #carryOut} ask the same questions of the
 * survey, so that what is shown is what is done. What fails goes into a list and the rest is done
 * all the same: three chips are better than none.
 */
final class Pass {

  static final String TYPE1 = "vfio_iommu_type1";

  private final HostRoot root;
  private final DevicesConfig config;
  private final Surveyor surveyor;
  private final KernelFiles kernel;
  private final Binder binder;
  private final Patience patience;
  private final ModuleLoader loader;
  private final Set<String> refusedModules;
  private final Nodes nodes;
  private final Map<String, Problem> failures = new HashMap<>();

  /**
   * @param refusedModules optional modules that this kernel does not have; added to
   */
  Pass(
      HostRoot root,
      DevicesConfig config,
      Surveyor surveyor,
      KernelFiles kernel,
      Binder binder,
      Patience patience,
      ModuleLoader loader,
      Set<String> refusedModules) {
    this.root = root;
    this.config = config;
    this.surveyor = surveyor;
    this.kernel = kernel;
    this.binder = binder;
    this.patience = patience;
    this.loader = loader;
    this.refusedModules = refusedModules;
    nodes = new Nodes(root);
  }

  /** What went wrong: by function's address, node's path or the parameter's name. */
  Map<String, Problem> failures() {
    return failures;
  }

  List<Step> steps(Survey survey) {
    var steps = new ArrayList<Step>();
    if (needsVfioDriver(survey)) {
      steps.add(new Step("load the module vfio-pci", "/sys/bus/pci/drivers/vfio-pci is missing"));
    }
    if (needsType1(survey)) {
      steps.add(new Step("load the module " + TYPE1, "/sys/module/" + TYPE1 + " is missing"));
    }
    if (needsUnsafeInterrupts(survey)) {
      steps.add(
          new Step(
              "set " + UnsafeInterrupts.PATH + " to Y",
              "without interrupt remapping vfio gives no device to a program otherwise"));
    }
    for (List<Tpu> group : survey.groupsToBind()) {
      group.forEach(tpu ->
          steps.add(
              new Step(
                  "bind %s to vfio-pci".formatted(tpu.name()),
                  "it has %s".formatted(tpu.function().driverText()))));
    }
    nodesToSet(survey, _ -> true)
        .forEach(node ->
            steps.add(
                new Step(
                    "set the mode of %s to %s"
                        .formatted(node.path(), Nodes.octal(config.nodeMode())),
                    node.isDevice() ? "it is " + node.modeText() : "it is not there yet")));
    return steps;
  }

  /** Makes the changes; what a device has become by them is to be seen in a new survey. */
  void carryOut(Survey survey, Consumer<Finding> progress)
      throws IOException, InterruptedException {
    Survey now = survey;
    Optional<Problem> noDriver = loadModules(now);
    if (needsType1(survey)) {
      now = surveyor.look(); // the parameter came with the module
    }
    if (needsUnsafeInterrupts(now)) {
      allowUnsafeInterrupts();
    }
    if (noDriver.isPresent()) {
      now.toBind().forEach(tpu -> failures.put(tpu.bdf(), noDriver.get()));
    } else {
      bindAll(now, progress);
    }
    for (Node node : nodesToSet(surveyor.look(), Tpu::isBound)) {
      setMode(node.path());
    }
  }

  private Optional<Problem> loadModules(Survey survey) throws InterruptedException {
    Optional<Problem> noDriver = Optional.empty();
    if (needsVfioDriver(survey)) {
      try {
        loader.load("vfio-pci");
        if (!new Sysfs(root).hasDriver(Sysfs.VFIO_PCI)) {
          throw new IOException("loading the module vfio-pci succeeded without bringing it");
        }
      } catch (IOException e) {
        noDriver =
            Optional.of(new Preconditions(root).moduleMissing(String.valueOf(e.getMessage())));
      }
    }
    if (needsType1(survey)) {
      try {
        loader.load(TYPE1);
      } catch (IOException e) {
        // Kernels with iommufd may go without it. What follows for the parameter is in a note.
        refusedModules.add(TYPE1);
      }
    }
    return noDriver;
  }

  private void allowUnsafeInterrupts() throws InterruptedException {
    try {
      var parameter = new UnsafeInterrupts(root);
      kernel.write(UnsafeInterrupts.OWNER, parameter.file(), "Y");
      if (parameter.look(kernel) != UnsafeInterrupts.Value.ON) {
        throw new IOException(
            "writing 'Y' to %s came back without an error, but it is not on"
                .formatted(UnsafeInterrupts.PATH));
      }
    } catch (IOException e) {
      failures.put(
          UnsafeInterrupts.OWNER,
          Problem.of(
              "allow_unsafe_interrupts is off",
              e.getMessage() + "; without interrupt remapping programs cannot use the TPU",
              "start the kernel with vfio_iommu_type1.allow_unsafe_interrupts=1"));
    }
  }

  private void bindAll(Survey survey, Consumer<Finding> progress) throws InterruptedException {
    int number = survey.toBind().size();
    if (number > 0) {
      progress.accept(
          Finding.waiting(
              "binding %d PCI functions to vfio-pci".formatted(number),
              "the kernel resets each of them first",
              null));
    }
    for (List<Tpu> group : survey.groupsToBind()) {
      binder
          .bind(group.stream().map(Tpu::function).toList())
          .ifPresent(
              failure -> group.forEach(tpu -> failures.put(tpu.bdf(), explain(failure, tpu))));
    }
  }

  private Problem explain(Binder.Failure failure, Tpu tpu) {
    if (!failure.function().bdf().equals(tpu.bdf())) {
      return Problem.of(
          "a function could not be bound",
          "it was not bound, since %s of its IOMMU group could not be"
              .formatted(failure.function().bdf()),
          "see the other function");
    }
    return failure.hangs()
        ? surveyor.hang(failure.function(), failure.cause())
        : Problem.of(
            "a function could not be bound",
            failure.cause(),
            "look into the kernel's log (dmesg) for %s; it is tried again".formatted(tpu.bdf()));
  }

  private void setMode(String path) throws InterruptedException {
    try {
      if (!patience.until(() -> nodes.look(path).isDevice())) {
        failures.put(
            path,
            Problem.of(
                "a device node is missing",
                "%s did not appear within %d ms".formatted(path, patience.limit().toMillis()),
                "look at systemd-udevd and devtmpfs: the kernel has made the device, but nobody"
                    + " its node"));
        return;
      }
      nodes.setMode(path, config.nodeMode());
    } catch (IOException e) {
      failures.put(
          path,
          Problem.of(
              "a device node has the wrong mode",
              String.valueOf(e.getMessage()),
              "run tpu-bootd as root, with a /dev that it may write to"));
    }
  }

  /** The nodes of what is bound now, and the one that all groups need. */
  private List<Node> nodesToSet(Survey survey, Predicate<Tpu> which) {
    var all = new LinkedHashSet<Node>();
    List<Tpu> tpus =
        survey.tpus().stream().filter(tpu -> tpu.obstacle().isEmpty()).filter(which).toList();
    tpus.forEach(tpu -> tpu.node().ifPresent(all::add));
    if (tpus.stream().anyMatch(Tpu::isVfio)) {
      all.add(survey.container());
    }
    return all.stream()
        .filter(node -> node.kind() != Nodes.Kind.SOMETHING_ELSE)
        .filter(node -> !node.isDevice() || node.mode() != config.nodeMode())
        .toList();
  }

  private boolean needsVfioDriver(Survey survey) {
    return !survey.vfioDriver() && !survey.toBind().isEmpty();
  }

  private boolean needsType1(Survey survey) {
    return !survey.type1Module() && !refusedModules.contains(TYPE1) && survey.needsVfio();
  }

  private boolean needsUnsafeInterrupts(Survey survey) {
    return survey.needsVfio()
        && survey.unsafeInterrupts() == UnsafeInterrupts.Value.OFF
        && surveyor.wantsUnsafeInterrupts(config);
  }
}
