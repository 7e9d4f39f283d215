package org.tpubootd.pci;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;
import org.tpubootd.core.Step;
import org.tpubootd.core.Time;

/**
 * Keeps the TPU's PCI functions usable: bound to vfio-pci where their generation wants that, with
 * nodes that every user may open.
 */
public final class Devices implements Component {

  public static final String NAME = "devices";

  private final HostRoot root;
  private final DevicesConfig config;
  private final Supplier<Optional<Expected>> expected;
  private final ModuleLoader loader;
  private final KernelFiles kernel;
  private final Holders holders;
  private final Patience patience;
  private final Binder binder;
  private final Set<String> refusedModules = new HashSet<>();
  private @Nullable Surveyor surveyor;
  private volatile int functions = 8;

  /**
   * @param expected what tpu-env promises, nothing where there is none; empty while that is not
   *     known
   * @param loader loads a kernel module that is missing, {@link ModuleLoader#modprobe}
   */
  public Devices(
      HostRoot root,
      DevicesConfig config,
      Supplier<Optional<Expected>> expected,
      Time time,
      ModuleLoader loader) {
    this.root = root;
    this.config = config;
    this.expected = expected;
    this.loader = loader;
    kernel = new KernelFiles(root, config.writeDeadline());
    holders = new Holders(root);
    patience = new Patience(time, config.writeDeadline());
    binder = new Binder(new Sysfs(root), kernel, holders, patience);
  }

  @Override
  public Part part() {
    return new Part(NAME, Part.Group.HOST, config.required());
  }

  @Override
  public Plan plan() throws IOException, InterruptedException {
    if (!config.enabled()) {
      return Plan.nothingToDo(Finding.inert("switched off", "devices.enabled is false"));
    }
    Surveyor surveyor = surveyor();
    Survey survey = surveyor.look();
    functions = Math.max(8, survey.tpus().size());
    var pass = new Pass(root, config, surveyor, kernel, binder, patience, loader, refusedModules);
    List<Step> steps = pass.steps(survey);
    Finding now = judge(survey, Map.of());
    if (steps.isEmpty()) {
      return Plan.nothingToDo(now);
    }
    return new Plan(
        now,
        steps,
        progress -> {
          pass.carryOut(survey, progress);
          return judge(surveyor.look(), pass.failures());
        });
  }

  private Finding judge(Survey survey, Map<String, Problem> failures) {
    boolean wantsUnsafeInterrupts = surveyor().wantsUnsafeInterrupts(config);
    return new Verdict(survey, config, wantsUnsafeInterrupts, expected.get(), failures).finding();
  }

  /** Made at the first pass, since it reads the table. */
  private Surveyor surveyor() {
    if (surveyor == null) {
      surveyor = new Surveyor(root, Generations.load(config.generations()), kernel, holders);
    }
    return surveyor;
  }

  @Override
  public Duration interval() {
    return config.interval();
  }

  /** Eight deadlines for each function (three calls to bind, three back, two waits), some more. */
  @Override
  public Duration longestPass() {
    return config.writeDeadline().multipliedBy(8L * functions + 6);
  }
}
