package org.tpubootd.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;

/**
 * Checks what the running kernel really has of what a TPU host needs: its arguments, transparent
 * huge pages, and the limits that services get. Changes nothing; a host is ready without it.
 */
public final class HostChecks implements Component {

  public static final String NAME = "host";

  private static final Part PART = new Part(NAME, Part.Group.SELF, false);

  private static final long OPEN_FILES = 100_000;
  private static final String HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled";

  /** {@code Max open files 1024 524288 files}. */
  private static final Pattern LIMIT =
      Pattern.compile("(Max [a-z ]+?) {2,}(\\S+) +(\\S+).*", Pattern.MULTILINE);

  private final HostRoot root;
  private final Supplier<Optional<String>> generation;
  private final BooleanSupplier noTpuHere;
  private final boolean isService;

  /**
   * @param generation of the TPU on this host as the table of generations names it; empty while
   *     none is known
   * @param isService whether this process was started as a service
   * @param noTpuHere whether it is certain that this machine has no TPU
   */
  public HostChecks(
      HostRoot root,
      boolean isService,
      Supplier<Optional<String>> generation,
      BooleanSupplier noTpuHere) {
    this.isService = isService;
    this.root = root;
    this.generation = generation;
    this.noTpuHere = noTpuHere;
  }

  @Override
  public Part part() {
    return PART;
  }

  /** Nothing of this changes often, and most of it only with a reboot. */
  @Override
  public Duration interval() {
    return Duration.ofMinutes(1);
  }

  @Override
  public Plan plan() throws IOException {
    Optional<String> known = generation.get();
    if (known.isEmpty()) {
      return Plan.nothingToDo(
          noTpuHere.getAsBoolean()
              ? Finding.inert("nothing to check", "no TPU is on this host, nor promised to it")
              : Finding.waiting(
                  "what to check depends on the TPU",
                  "neither tpu-env nor the PCI functions tell its generation yet",
                  "see the parts tpu-env and devices"));
    }
    var deviations = new ArrayList<String>();
    checkArguments(known.get(), deviations);
    checkHugePages(deviations);
    checkLimits(deviations);
    if (deviations.isEmpty()) {
      return Plan.nothingToDo(Finding.ok("kernel and limits are as a TPU host needs them"));
    }
    return Plan.nothingToDo(
        Finding.degraded(
                deviations.size() == 1
                    ? "one setting of the kernel or of limits is not what a TPU host needs"
                    : "%d settings of the kernel and of limits are not what a TPU host needs"
                        .formatted(deviations.size()),
                "see the notes",
                "do what the notes say; TPU programs may run slowly or fail until then")
            .withNotes(deviations));
  }

  private void checkArguments(String tpu, List<String> deviations) throws IOException {
    var arguments = KernelArguments.of(read("/proc/cmdline"));
    if (!arguments.has(KernelArguments.IDLE)) {
      deviations.add(missing(KernelArguments.IDLE));
    }
    boolean intel = read("/proc/cpuinfo").contains("GenuineIntel");
    if (intel && KernelArguments.SCALABLE_MODE.contains(tpu) && !arguments.hasScalableMode()) {
      deviations.add(missing(KernelArguments.IOMMU) + " (" + tpu + " needs it)");
    }
  }

  private static String missing(String argument) {
    return "the kernel was started without %1$s: add %1$s to GRUB_CMDLINE_LINUX, run update-grub and"
            .formatted(argument)
        + " reboot";
  }

  /** What counts is what is in force: something may have switched it since the boot. */
  private void checkHugePages(List<String> deviations) throws IOException {
    String modes = read(HUGE_PAGES).strip();
    if (!modes.contains("[always]")) {
      deviations.add(
          "%s is '%s' instead of [always]: start the kernel with transparent_hugepage=always, and"
                  .formatted(HUGE_PAGES, modes)
              + " look for what switches it later (tuned, sysctl scripts)");
    }
  }

  /**
   * A service's own limits are those that systemd gives to any service without limits of its own;
   * those of a command come from the shell it was started in, and are told as such. Only that of
   * open files looks better than it is: the JVM raises its soft limit to the hard one at its start.
   */
  private void checkLimits(List<String> deviations) throws IOException {
    String limits = read("/proc/self/limits");
    checkLimit(limits, "Max locked memory", Long.MAX_VALUE, "LimitMEMLOCK=infinity", deviations);
    checkLimit(limits, "Max open files", OPEN_FILES, "LimitNOFILE=100000", deviations);
  }

  private void checkLimit(
      String limits, String name, long wanted, String setting, List<String> deviations) {
    Matcher matcher = LIMIT.matcher(limits);
    while (matcher.find()) {
      if (!matcher.group(1).equals(name)) {
        continue;
      }
      if (number(matcher.group(2)) < wanted) {
        deviations.add(
            "%s of %s is %s instead of %s: set Default%s in /etc/systemd/system.conf.d"
                    .formatted(
                        name.substring(4),
                        isService ? "a service" : "this process",
                        matcher.group(2),
                        wanted == Long.MAX_VALUE ? "unlimited" : wanted,
                        setting)
                + " and reboot");
      }
      return;
    }
    deviations.add("/proc/self/limits does not tell the limit of " + name.substring(4));
  }

  private static long number(String limit) {
    return limit.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(limit);
  }

  /** A kernel without the file has not what the file would tell: that is a deviation too. */
  private String read(String path) throws IOException {
    try {
      return Files.readString(root.resolve(path));
    } catch (NoSuchFileException e) {
      return "";
    }
  }
}
