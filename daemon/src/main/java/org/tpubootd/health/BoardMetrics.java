package org.tpubootd.health;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Instant;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.tpubootd.core.Condition;
import org.tpubootd.core.Part;
import org.tpubootd.core.State;

/**
 * The board as metrics. Nothing is counted here: each scrape is made of the conditions as they are,
 * so there is no state that could differ from what the other pages tell.
 */
final class BoardMetrics {

  private final String version;
  private final Instant started;

  BoardMetrics(String version, Instant started) {
    this.version = version;
    this.started = started;
  }

  MetricSnapshots of(List<Condition> conditions, List<String> stuck) {
    return MetricSnapshots.of(
        InfoSnapshot.builder()
            .name("tpu_bootd_build")
            .help("Version of tpu-bootd; the value is always 1.")
            .dataPoint(
                InfoDataPointSnapshot.builder().labels(Labels.of("version", version)).build())
            .build(),
        single(
            "process_start_time_seconds",
            "When the daemon's process began, in seconds since 1970.",
            seconds(started)),
        single(
            "tpu_bootd_ready",
            "Whether every required part is as it should be.",
            number(conditions.stream().noneMatch(Condition::holdsUpReady))),
        single(
            "tpu_bootd_host_ready",
            "Whether every required file and device is as it should be.",
            number(
                conditions.stream()
                    .filter(condition -> condition.part().group() == Part.Group.HOST)
                    .noneMatch(Condition::holdsUpReady))),
        single(
            "tpu_bootd_stuck_loops",
            "Control loops that make no progress; the watchdog is not fed while there is one.",
            stuck.size()),
        states(conditions),
        each(
            conditions,
            "tpu_bootd_part_required",
            "Whether the host is ready only when this part is.",
            condition -> number(condition.part().required())),
        each(
            conditions,
            "tpu_bootd_part_since_timestamp_seconds",
            "When the part came into its present state, in seconds since 1970.",
            condition -> seconds(condition.since())),
        each(
            conditions,
            "tpu_bootd_part_attempts",
            "Passes made since the part was last ok or inert.",
            Condition::attempts));
  }

  /** Not the library's state set: its label would have to be named like the metric. */
  private static GaugeSnapshot states(List<Condition> conditions) {
    var metric =
        GaugeSnapshot.builder()
            .name("tpu_bootd_part_state")
            .help("1 for the state that the part is in, 0 for the others.");
    for (Condition condition : conditions) {
      for (State state : State.values()) {
        metric.dataPoint(
            point(
                Labels.of("part", condition.part().name(), "state", state.word()),
                number(condition.state() == state)));
      }
    }
    return metric.build();
  }

  private static GaugeSnapshot each(
      List<Condition> conditions, String name, String help, ToDoubleFunction<Condition> value) {
    var metric = GaugeSnapshot.builder().name(name).help(help);
    for (Condition condition : conditions) {
      metric.dataPoint(
          point(Labels.of("part", condition.part().name()), value.applyAsDouble(condition)));
    }
    return metric.build();
  }

  private static GaugeSnapshot single(String name, String help, double value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(point(Labels.EMPTY, value))
        .build();
  }

  private static GaugeDataPointSnapshot point(Labels labels, double value) {
    return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
  }

  private static double number(boolean flag) {
    return flag ? 1 : 0;
  }

  private static double seconds(Instant instant) {
    return instant.toEpochMilli() / 1000.0;
  }
}
