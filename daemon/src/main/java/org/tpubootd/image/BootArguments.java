package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.tpubootd.host.KernelArguments;

/** Whether the boot loader starts kernels with the arguments that a TPU host needs. */
final class BootArguments implements Check {

  private static final String DROP_INS = "/etc/default/grub.d";
  private static final String NAME = "60-tpu-bootd.cfg";
  private static final String DROP_IN = DROP_INS + "/" + NAME;

  /** Sets the variable of our arguments without the value that it had. */
  private static final Pattern ANEW =
      Pattern.compile("\\s*(?:export\\s+)?GRUB_CMDLINE_LINUX=(?!.*\\$\\{?GRUB_CMDLINE_LINUX\\b).*");

  private final Tree tree;
  private final Kernels kernels;

  BootArguments(Tree tree) {
    this.tree = tree;
    this.kernels = new Kernels(tree);
  }

  @Override
  public String name() {
    return "kernel arguments";
  }

  @Override
  public List<Result> look() throws IOException {
    Generation generation = Generation.of(tree);
    boolean iommu = generation.needsIntelIommu() && Architecture.isX86(tree);
    var results = new ArrayList<Result>();
    if (!generation.isKnown()) {
      results.add(
          Result.warning(
              name(),
              "%s names a generation that is not known: TPU_GENERATION=%s"
                  .formatted(Generation.FILE, generation.word()),
              "set it to any, v5e, v5p, v6e or tpu7x, and run update-grub"));
    }
    Optional<BootLoader> loader = BootLoader.of(tree);
    if (loader.isEmpty() || loader.get().entries().isEmpty()) {
      results.add(nothingToRead(iommu));
      return results;
    }
    results.addAll(look(loader.get(), iommu));
    if (results.isEmpty()) {
      results.add(
          Result.ok(
              name(),
              "%s has what TPUs need (TPU_GENERATION=%s)"
                  .formatted(loader.get().file(), generation.word())));
    }
    return results;
  }

  /** Not an error: a machine may be started with a kernel from outside. */
  private Result nothingToRead(boolean iommu) {
    return Result.warning(
        name(),
        "no boot loader is configured in this tree",
        "start its kernel with %s %s%s"
            .formatted(
                KernelArguments.IDLE,
                KernelArguments.HUGE_PAGES,
                iommu ? " " + KernelArguments.IOMMU : ""));
  }

  private List<Result> look(BootLoader loader, boolean iommu) throws IOException {
    var results = new ArrayList<Result>();
    harmful(loader, KernelArguments::iommuOff, "switches the IOMMU off").ifPresent(results::add);
    harmful(loader, KernelArguments::vfioOff, "keeps vfio away").ifPresent(results::add);
    for (String argument : List.of(KernelArguments.IDLE, KernelArguments.HUGE_PAGES)) {
      lacking(loader, argument, entry -> entry.arguments().has(argument), false)
          .ifPresent(results::add);
    }
    if (iommu) {
      lacking(
              loader,
              KernelArguments.IOMMU,
              entry -> entry.arguments().hasScalableMode(),
              !switchesItOnItself(loader))
          .ifPresent(results::add);
    }
    return results;
  }

  /** Then the generations that need the argument lose speed at most. */
  private boolean switchesItOnItself(BootLoader loader) throws IOException {
    Optional<String> version = loader.firstKernel();
    return version.isPresent()
        && kernels.isBuiltWith(version.get(), "CONFIG_INTEL_IOMMU_DEFAULT_ON");
  }

  /**
   * @param find the argument that must not be there
   * @param what it does, for the message
   */
  private Optional<Result> harmful(
      BootLoader loader, Function<KernelArguments, Optional<String>> find, String what) {
    return loader.entries().stream()
        .flatMap(entry -> find.apply(entry.arguments()).stream())
        .findFirst()
        .map(argument ->
            Result.missing(
                find.apply(loader.entries().getFirst().arguments()).isPresent(),
                name(),
                "%s %s by %s".formatted(loader.file(), what, argument),
                "take %s off the kernel's command line".formatted(argument)));
  }

  private Optional<Result> lacking(
      BootLoader loader, String argument, Predicate<BootEntry> has, boolean needed)
      throws IOException {
    var without = loader.entries().stream().filter(has.negate()).toList();
    if (without.isEmpty()) {
      return Optional.empty();
    }
    boolean first = without.getFirst().equals(loader.entries().getFirst());
    return Optional.of(
        Result.missing(
            needed && first,
            name(),
            loader.kind() == BootLoader.Kind.COMMAND_LINE
                ? "%s lacks %s".formatted(loader.file(), argument)
                : "%s starts '%s'%s without %s"
                    .formatted(
                        loader.file(),
                        without.getFirst().title(),
                        without.size() == 1 ? "" : " and %d more".formatted(without.size() - 1),
                        argument),
            advice(loader, argument, without.getFirst())));
  }

  private String advice(BootLoader loader, String argument, BootEntry entry) throws IOException {
    String way =
        switch (loader.kind()) {
          case GRUB -> withGrub(argument, entry);
          case ENTRIES ->
              "add it to /etc/kernel/cmdline and to the options of the entries, such as by"
                  + " kernel-install add";
          case COMMAND_LINE -> "add it there, and write the kernel's entries again";
        };
    return argument.equals(KernelArguments.IOMMU)
        ? "%s; or set TPU_GENERATION in %s if the image is for v5e or v6e only"
            .formatted(way, Generation.FILE)
        : way;
  }

  private String withGrub(String argument, BootEntry entry) throws IOException {
    String key = argument.substring(0, argument.indexOf('=') + 1);
    Optional<String> other =
        entry.arguments().words().stream().filter(word -> word.startsWith(key)).findFirst();
    if (other.isPresent()) {
      return "change %s to %s in /etc/default/grub and its drop-ins, and run update-grub"
          .formatted(other.get(), argument);
    }
    if (!tree.exists(DROP_IN)) {
      return "%s is missing: add %s to GRUB_CMDLINE_LINUX, and run update-grub"
          .formatted(DROP_IN, argument);
    }
    return setAnewBy()
        .map(file ->
            "let %s, which is read after %s, add to GRUB_CMDLINE_LINUX and not set it anew; then run"
                    .formatted(file, NAME)
                + " update-grub")
        .orElse("run update-grub in the image (in a chroot it needs /dev, /proc and /sys)");
  }

  /** The file after ours that takes our arguments away; update-grub alone would change nothing. */
  private Optional<String> setAnewBy() throws IOException {
    for (String name : tree.names(DROP_INS, ".cfg")) {
      String file = DROP_INS + "/" + name;
      if (name.compareTo(NAME) > 0
          && tree.lines(file).stream().anyMatch(line -> ANEW.matcher(line).matches())) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }
}
