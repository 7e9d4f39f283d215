package org.tpubootd.env;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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

  private final HostRoot root;
  private final FilesConfig config;
  private final TpuEnvSource source;
  private final Attributes attributes;

  public WorkloadEnv(
      HostRoot root, FilesConfig config, TpuEnvSource source, Attributes attributes) {
    this.root = root;
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
    return Upkeep.plan(
        List.of(
            new Upkeep.Target(
                new SafeFile(root, PATH),
                Wanted.file(workload.text(), 0644, Owner.findOrRoot(root, config.owner())))),
        finding(workload, readings).withNotes(workload.notes()).withFacts(facts(workload)));
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
      return Finding.degraded(
          summary,
          Readings.cause(refused),
          Objects.requireNonNullElse(
              refused.action(), "put right what the cause names; it is tried again"));
    }
    return Finding.ok(summary);
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
