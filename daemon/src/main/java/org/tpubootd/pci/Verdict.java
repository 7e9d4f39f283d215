package org.tpubootd.pci;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.DevicesConfig.GenerationRow;
import org.tpubootd.core.Finding;
import org.tpubootd.pci.Nodes.Node;

/** Says what a survey means. */
final class Verdict {

  private final Survey survey;
  private final Chips chips;
  private final DevicesConfig config;
  private final boolean wantsUnsafeInterrupts;
  private final Optional<Expected> expected;
  private final boolean knowsWhatToExpect;
  private final Map<String, Problem> failures;
  private final Map<Problem, List<String>> problems = new LinkedHashMap<>();
  private final List<String> notes;

  /**
   * @param failures what went wrong in this pass, by function's address, node's path or {@link
   *     UnsafeInterrupts#OWNER}
   */
  Verdict(
      Survey survey,
      DevicesConfig config,
      boolean wantsUnsafeInterrupts,
      Optional<Expected> expected,
      Map<String, Problem> failures) {
    this.survey = survey;
    chips = new Chips(survey.tpus());
    this.config = config;
    this.wantsUnsafeInterrupts = wantsUnsafeInterrupts;
    knowsWhatToExpect = expected.isPresent();
    this.expected = expected.filter(Expected::promisesTpu);
    this.failures = failures;
    notes = new ArrayList<>(survey.notes());
  }

  Finding finding() {
    if (survey.tpus().isEmpty()) {
      return noTpu().withNotes(notes).withFacts(facts());
    }
    long ready =
        survey.tpus().stream()
            .filter(tpu -> {
              Optional<Problem> problem = problem(tpu);
              problem.ifPresent(found -> add(found, tpu.bdf()));
              return problem.isEmpty();
            })
            .count();
    boolean unusable = ready == 0;
    if (survey.hasBoundVfio()) {
      Optional<Problem> container = problem(survey.container());
      container.ifPresent(this::add);
      unusable |= container.isPresent(); // without it no program can use any group
    }
    if (survey.needsVfio()) {
      unsafeInterrupts();
    }
    compareWithExpected();
    return judge(ready, unusable).withNotes(notes).withFacts(facts());
  }

  private Finding noTpu() {
    if (!knowsWhatToExpect) {
      return Finding.waiting(
          "no TPU function yet",
          "no PCI function is on the table of generations, and what tpu-env promises is not known",
          "see the part tpu-env");
    }
    return expected
        .map(promised ->
            Finding.failed(
                "no TPU on this host, though tpu-env promises " + promised(promised),
                "no PCI function under /sys/bus/pci/devices is on the table of generations",
                "restart the VM; if its TPU is of a new kind, add its ids to"
                    + " devices.generations"))
        .orElseGet(() ->
            Finding.inert(
                "no TPU on this host",
                "no PCI function is on the table of generations, and no tpu-env promises one"));
  }

  private Finding judge(long ready, boolean unusable) {
    int total = survey.tpus().size();
    if (problems.isEmpty()) {
      return Finding.ok(chips.text() + " ready");
    }
    String summary =
        "%d of %d %s functions ready: %s"
            .formatted(ready, total, chips.generations(), join(Problem::title, ", "));
    String cause =
        problems.entrySet().stream()
            .map(entry ->
                entry.getValue().isEmpty()
                    ? entry.getKey().cause()
                    : String.join(", ", entry.getValue()) + ": " + entry.getKey().cause())
            .collect(Collectors.joining("; "));
    String action = join(Problem::action, "; ");
    if (problems.keySet().stream().allMatch(Problem::pending)) {
      return Finding.waiting(summary, cause, null);
    }
    return unusable
        ? Finding.failed(summary, cause, action)
        : Finding.degraded(summary, cause, action);
  }

  private String join(Function<Problem, String> part, String separator) {
    return problems.keySet().stream().map(part).distinct().collect(Collectors.joining(separator));
  }

  private void add(Problem problem, String bdf) {
    problems.computeIfAbsent(problem, _ -> new ArrayList<>()).add(bdf);
  }

  private void add(Problem problem) {
    problems.putIfAbsent(problem, List.of());
  }

  private Optional<Problem> problem(Tpu tpu) {
    if (!tpu.isBound()) {
      // What went wrong in this pass tells more than what it left behind.
      return Optional.ofNullable(failures.get(tpu.bdf()))
          .or(tpu::obstacle)
          .or(() ->
              Optional.of(
                  Problem.pending(
                      "it has %s instead of vfio-pci".formatted(tpu.function().driverText()))));
    }
    if (tpu.obstacle().isPresent()) {
      return tpu.obstacle();
    }
    return tpu.node().flatMap(this::problem);
  }

  private Optional<Problem> problem(Node node) {
    if (node.kind() == Nodes.Kind.SOMETHING_ELSE) {
      return Optional.of(
          Problem.of(
              "a device node is missing",
              "%s is no device node but a file, a directory or a link".formatted(node.path()),
              "remove %s and reboot".formatted(node.path())));
    }
    if (node.isDevice() && node.mode() == config.nodeMode()) {
      return Optional.empty();
    }
    return Optional.ofNullable(failures.get(node.path()))
        .or(() ->
            Optional.of(
                Problem.pending(
                    node.isDevice()
                        ? "the mode of %s is %s instead of %s"
                            .formatted(node.path(), node.modeText(), Nodes.octal(config.nodeMode()))
                        : node.path() + " is not there")));
  }

  private void unsafeInterrupts() {
    notes.addAll(UnsafeInterrupts.notes(survey.unsafeInterrupts(), wantsUnsafeInterrupts));
    if (wantsUnsafeInterrupts && survey.unsafeInterrupts() == UnsafeInterrupts.Value.OFF) {
      Problem failure = failures.get(UnsafeInterrupts.OWNER);
      add(failure == null ? Problem.pending("allow_unsafe_interrupts is off") : failure);
    }
  }

  private void compareWithExpected() {
    for (GenerationRow row : chips.rows()) {
      noteParts(row);
      int here = chips.count(row);
      if (expected.flatMap(Expected::chipsPerHost).isEmpty()
          && !row.chipsPerHost().isEmpty()
          && !row.chipsPerHost().contains(here)) {
        notes.add(
            "%d %s chips are here, but hosts of this generation have %s"
                .formatted(
                    here,
                    row.name(),
                    row.chipsPerHost().stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(" or "))));
      }
    }
    if (expected.isEmpty()) {
      return;
    }
    Expected promised = expected.get();
    promised
        .generation()
        .filter(name -> chips.rows().stream().noneMatch(row -> row.name().equalsIgnoreCase(name)))
        .ifPresent(name ->
            add(
                Problem.of(
                    "tpu-env names another generation",
                    "tpu-env says %s, but the PCI functions are of %s"
                        .formatted(name, chips.generations()),
                    "compare the accelerator type of the VM with its machine type")));
    int here = chips.count();
    promised
        .chipsPerHost()
        .ifPresent(number -> {
          if (here < number) {
            add(
                Problem.of(
                    "chips are missing",
                    "tpu-env promises %s on this host (CHIPS_PER_HOST_BOUNDS), but PCI"
                            .formatted(Chips.text(number))
                        + " shows %d".formatted(here),
                    "restart the VM; if that does not bring them back, have it replaced"));
          } else if (here > number) {
            notes.add(
                "PCI shows %s, more than the %d that tpu-env promises for this host"
                    .formatted(Chips.text(here), number));
          }
        });
  }

  /**
   * A chip of which not all functions are here counts as whole, and a note says so. No more than a
   * note: of the functions of tpu7x, two to a chip, it is not known for certain that they always
   * share a slot, and a whole host must not be called degraded by a guess.
   */
  private void noteParts(GenerationRow row) {
    chips
        .functionsBySlot(row)
        .forEach((slot, functions) -> {
          long here = functions % row.functionsPerChip();
          if (here != 0) {
            notes.add(
                "%s has %d of the %d functions of a %s chip, which counts as whole all the same"
                    .formatted(slot, here, row.functionsPerChip(), row.name()));
          }
        });
  }

  private static String promised(Expected expected) {
    return expected.chipsPerHost().map(Chips::text).orElse("chips")
        + expected.generation().map(" of "::concat).orElse("");
  }

  private Map<String, Object> facts() {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("chips", chips.count());
    facts.put("functions", survey.tpus().stream().map(Verdict::facts).toList());
    expected
        .flatMap(Expected::chipsPerHost)
        .ifPresent(number -> facts.put("expectedChips", number));
    expected.flatMap(Expected::generation).ifPresent(name -> facts.put("expectedGeneration", name));
    if (survey.needsVfio()) {
      facts.put("allowUnsafeInterrupts", survey.unsafeInterrupts().name().toLowerCase(Locale.ROOT));
    }
    return facts;
  }

  private static Map<String, Object> facts(Tpu tpu) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("bdf", tpu.bdf());
    facts.put("generation", tpu.row().name());
    tpu.function().driver().ifPresent(driver -> facts.put("driver", driver));
    tpu.function().group().ifPresent(group -> facts.put("group", group));
    tpu.node()
        .filter(Node::isDevice)
        .ifPresent(node -> {
          facts.put("node", node.path());
          facts.put("mode", node.modeText());
        });
    facts.put("numa", tpu.function().numa());
    return facts;
  }
}
