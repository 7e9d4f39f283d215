package org.tpubootd.image;

import java.util.ArrayList;
import java.util.List;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.host.OtherAgents;

/** Agents that somebody else runs on this image: tpu-bootd would run none beside them. */
final class Agents implements Check {

  private final OtherAgents others;
  private final ContainersConfig config;

  Agents(OtherAgents others, ContainersConfig config) {
    this.others = others;
    this.config = config;
  }

  @Override
  public String name() {
    return "other agents";
  }

  @Override
  public List<Result> look() {
    var results = new ArrayList<Result>();
    for (ContainerConfig container : config.all()) {
      if (container.enabled()) {
        others
            .insteadOf(container.name())
            .ifPresent(why ->
                results.add(
                    Result.warning(
                        name(),
                        "tpu-bootd would leave %s alone: %s".formatted(container.name(), why),
                        "decide who runs it; set %s.enabled to false if not tpu-bootd"
                            .formatted(container.key()))));
      }
    }
    return results.isEmpty()
        ? List.of(Result.ok(name(), "nobody else runs these agents"))
        : results;
  }
}
