package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.tpubootd.config.DevicesConfig;

/** Whether the kernels of the image can give TPUs to programs, and will be told how to. */
final class VfioModules implements Check {

  private static final List<String> MODULES = List.of("vfio-pci", "vfio_iommu_type1");
  private static final List<String> MODPROBE =
      List.of("/usr/sbin/modprobe", "/sbin/modprobe", "/usr/bin/modprobe", "/bin/modprobe");

  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "\\s*install\\s+vfio[-_](?:pci|iommu_type1)\\s+(?:/\\S+/)?(?:false|true)\\b.*");
  private static final Pattern UNSAFE =
      Pattern.compile("\\s*options\\s+vfio_iommu_type1\\b.*\\ballow_unsafe_interrupts=(\\w+).*");

  private final Tree tree;
  private final DevicesConfig config;
  private final Kernels kernels;

  VfioModules(Tree tree, DevicesConfig config) {
    this.tree = tree;
    this.config = config;
    this.kernels = new Kernels(tree);
  }

  @Override
  public String name() {
    return "kernel";
  }

  @Override
  public List<Result> look() throws IOException {
    if (!config.enabled()) {
      return List.of(Result.notApplicable(name(), "devices.enabled is false"));
    }
    var results = new ArrayList<Result>();
    List<String> versions = kernels.versions();
    if (versions.isEmpty()) {
      results.add(
          Result.warning(
              name(),
              "no kernel is in /lib/modules",
              "install one, or boot this image with a kernel from outside that has vfio-pci and"
                  + " vfio_iommu_type1 built in"));
    }
    String first =
        BootLoader.of(tree)
            .flatMap(BootLoader::firstKernel)
            .filter(versions::contains)
            .orElse(versions.isEmpty() ? "" : versions.getFirst());
    for (String version : versions) {
      results.add(kernel(version, version.equals(first)));
    }
    forbidden().ifPresent(results::add);
    unsafeInterrupts().ifPresent(results::add);
    return results;
  }

  private Result kernel(String version, boolean boots) throws IOException {
    var missing = new ArrayList<String>();
    boolean toBeLoaded = false;
    for (String module : MODULES) {
      switch (kernels.has(version, module)) {
        case BUILT_IN -> {}
        case MODULE -> toBeLoaded = true;
        case NOT -> missing.add(module);
        case UNLISTED -> {
          return Result.missing(
              boots && config.required(),
              name(),
              "%s has no modules.dep, so that no module is found".formatted(version),
              "run depmod -a %s in the image".formatted(version));
        }
      }
    }
    if (!missing.isEmpty()) {
      return Result.missing(
          boots && config.required(),
          name(),
          "%s has no %s%s"
              .formatted(
                  version,
                  String.join(" and no ", missing),
                  boots ? "" : "; it is not the one that boots"),
          "install its modules (Ubuntu: linux-modules-extra-%s), or another kernel"
              .formatted(version));
    }
    if (toBeLoaded && !hasModprobe()) {
      return Result.warning(
          name(),
          "%s has vfio-pci as a module, and the image has no modprobe".formatted(version),
          "install kmod: the daemon loads a missing module by it");
    }
    return Result.ok(
        name(), "%s has vfio-pci%s".formatted(version, toBeLoaded ? "" : ", built in"));
  }

  private boolean hasModprobe() throws IOException {
    for (String program : MODPROBE) {
      if (tree.exists(program)) {
        return true;
      }
    }
    return false;
  }

  private Optional<Result> forbidden() throws IOException {
    for (String file : Layers.of(tree, "modprobe.d", ".conf")) {
      for (String line : tree.lines(file)) {
        if (FORBIDDEN.matcher(line).matches()) {
          return Optional.of(
              Result.missing(
                  config.required(),
                  name(),
                  "%s keeps the module away: %s".formatted(file, line.strip()),
                  "take that line out"));
        }
      }
    }
    return Optional.empty();
  }

  /** The daemon sets it too, where it may; what counts here is that the two do not disagree. */
  private Optional<Result> unsafeInterrupts() throws IOException {
    boolean on = false;
    String by = "";
    for (String file : Layers.of(tree, "modprobe.d", ".conf")) {
      for (String line : tree.lines(file)) {
        var setting = UNSAFE.matcher(line);
        if (setting.matches()) {
          on = setting.group(1).matches("1|[yY]\\w*|on");
          by = file;
        }
      }
    }
    boolean wanted =
        switch (config.unsafeInterrupts()) {
          case AUTO -> Architecture.isX86(tree);
          case ALWAYS -> true;
          case NEVER -> false;
        };
    if (on && !wanted && config.unsafeInterrupts() == DevicesConfig.UnsafeInterrupts.NEVER) {
      return Optional.of(
          Result.warning(
              name(),
              by + " sets allow_unsafe_interrupts although the configuration says never",
              "put an empty file of that name into /etc/modprobe.d"));
    }
    if (!on && wanted) {
      return Optional.of(
          Result.warning(
              name(),
              by.isEmpty()
                  ? "no file in modprobe.d sets allow_unsafe_interrupts"
                  : by + " switches allow_unsafe_interrupts off",
              "the daemon sets it at boot; a program that uses vfio earlier fails: set it in"
                  + " /etc/modprobe.d"));
    }
    return Optional.empty();
  }
}
