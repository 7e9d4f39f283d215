package org.tpubootd.env;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.FilesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;
import org.tpubootd.metadata.Attributes;
import org.tpubootd.metadata.Reading;

/**
 * The part {@code workload-env}: a file with which a training job runs without asking the metadata
 * server, by {@code docker run --env-file}, systemd's EnvironmentFile or bash's source.
 */
public final class WorkloadEnv implements Component {

  /** What else than tpu-env is asked for: for whoever watches the attributes. */
  public static final List<String> ATTRIBUTES = Workload.ATTRIBUTES;

  static final String PATH = "/run/tpu-bootd/workload.env";

  /** No file of ours is as long: docker's limit on a line, for a dozen lines. */
  private static final int LONGEST = 1 << 20;

  private final HostRoot root;
  private final SafeFile file;
  private final FilesConfig config;
  private final TpuEnvSource source;
  private final Attributes attributes;
  private final BooleanSupplier noTpuHere;

  /**
   * @param noTpuHere whether it is certain that this machine has no TPU; then nothing is waited for
   */
  public WorkloadEnv(
      HostRoot root,
      FilesConfig config,
      TpuEnvSource source,
      Attributes attributes,
      BooleanSupplier noTpuHere) {
    this.noTpuHere = noTpuHere;
    this.root = root;
    file = new SafeFile(root, PATH);
    this.config = config;
    this.source = source;
    this.attributes = attributes;
  }

  @Override
  public Part part() {
    return new Part("workload-env", Part.Group.HOST, true);
  }

  @Override
  public Plan plan() throws IOException, InterruptedException {
    var known = source.look();
    var good = known.good();
    if (known.hasNone() && noTpuHere.getAsBoolean()) {
      return Plan.nothingToDo(Readings.noTpuVm(known.reading()));
    }
    if (good == null) {
      return Plan.nothingToDo(
          Finding.waiting(
              "waiting for tpu-env",
              known.problem() == null
                  ? Readings.cause(known.reading())
                  : "the metadata server sent something else: " + known.problem(),
              "see the part tpu-env"));
    }
    var readings = new HashMap<String, Reading>();
    for (String key : ATTRIBUTES) {
      readings.put(key, attributes.read(key));
    }
    var workload =
        Workload.of(
            good.env(), key -> Optional.ofNullable(readings.get(key)).flatMap(Reading::textIfAny));
    var unanswered = unanswered(readings);
    if (unanswered != null && wouldLose(workload, readings)) {
      return Plan.nothingToDo(kept(unanswered).withNotes(workload.notes()));
    }
    return Upkeep.plan(
        List.of(
            new Upkeep.Target(
                file, Wanted.file(workload.text(), 0644, Owner.findOrRoot(root, config.owner())))),
        finding(workload, readings).withNotes(workload.notes()).withFacts(facts(workload)));
  }

  /** A reading of which nothing is known that might be: an answer may still come. */
  private static @Nullable Reading unanswered(Map<String, Reading> readings) {
    return readings.values().stream()
        .filter(reading -> reading.text() == null)
        .filter(reading -> reading.status() != Reading.Status.ABSENT)
        .min(Comparator.comparing(Reading::status))
        .orElse(null);
  }

  /**
   * Whether the file on disk has what this workload lacks, as that of the process before us may.
   * Until the server's first answers nothing is said to contradict anything either, so the file is
   * then left alone in any case.
   */
  private boolean wouldLose(Workload workload, Map<String, Reading> readings)
      throws InterruptedException {
    Optional<byte[]> old;
    try {
      old = file.read(LONGEST);
    } catch (IOException _) {
      return false; // what is wrong with it is told when it is compared
    }
    if (old.isEmpty()) {
      return false;
    }
    boolean early =
        readings.values().stream().anyMatch(reading -> reading.status() == Reading.Status.PENDING);
    String text = new String(old.get(), StandardCharsets.UTF_8);
    return early
        ? !text.equals(workload.text())
        : !workload.variables().keySet().containsAll(variables(text));
  }

  private static Set<String> variables(String text) {
    return text.lines()
        .filter(line -> line.indexOf('=') > 0)
        .map(line -> line.substring(0, line.indexOf('=')))
        .collect(Collectors.toSet());
  }

  private static Finding kept(Reading unanswered) {
    String summary = PATH + " is kept as it was; what is known now would leave some of it out";
    return unanswered.status() == Reading.Status.REFUSED
        ? Finding.degraded(summary, Readings.cause(unanswered), action(unanswered))
        : Finding.waiting(summary, Readings.cause(unanswered), unanswered.action());
  }

  private static Finding finding(Workload workload, Map<String, Reading> readings) {
    var open = firstOf(workload, readings, Reading.Status.PENDING, Reading.Status.UNREACHABLE);
    var refused = firstOf(workload, readings, Reading.Status.REFUSED);
    if (workload.variables().containsKey(Workload.SKIP)) {
      return Finding.ok(PATH + " has all that a job needs");
    }
    String summary =
        workload.missing().isEmpty()
            ? PATH + " is written without what contradicts itself"
            : PATH
                + " lacks: "
                + String.join(
                    ", ", workload.missing().stream().map(Workload.Missing::what).toList());
    if (open != null) {
      return Finding.waiting(summary, Readings.cause(open), open.action());
    }
    if (refused != null) {
      return Finding.degraded(summary, Readings.cause(refused), action(refused));
    }
    if (!workload.contradictions().isEmpty()) {
      return Finding.degraded(
          summary,
          String.join("; ", workload.contradictions()),
          "compare what the server gives: tpu-bootd metadata get tpu-env, and the same for "
              + String.join(", ", ATTRIBUTES));
    }
    // A job on one host does without; the hosts of a slice do not find each other.
    if (workload.severalHosts() && workload.missing().stream().anyMatch(WorkloadEnv::isOfSlices)) {
      return Finding.degraded(
          summary,
          "the slice has several hosts, and neither tpu-env nor an attribute of its own tells it",
          "see what the server gives: tpu-bootd metadata get " + WorkerEndpoints.ATTRIBUTE);
    }
    return Finding.ok(summary);
  }

  private static boolean isOfSlices(Workload.Missing missing) {
    return missing.what().equals(Workload.HOST_NAMES) || missing.what().equals(Workload.ID);
  }

  private static String action(Reading refused) {
    return Objects.requireNonNullElse(
        refused.action(), "put right what the cause names; it is tried again");
  }

  /** The first reading, in one of these states, that could have given what is missing. */
  private static @Nullable Reading firstOf(
      Workload workload, Map<String, Reading> readings, Reading.Status... statuses) {
    return workload.missing().stream()
        .flatMap(missing -> missing.attributes().stream())
        .map(key -> Objects.requireNonNull(readings.get(key)))
        .filter(reading -> reading.text() == null)
        .filter(reading -> List.of(statuses).contains(reading.status()))
        .findFirst()
        .orElse(null);
  }

  private static Map<String, Object> facts(Workload workload) {
    return Map.of(
        "file", PATH,
        "variables", workload.variables(),
        "derived", workload.derived(),
        "missing", workload.missing().stream().map(Workload.Missing::what).toList());
  }
}
