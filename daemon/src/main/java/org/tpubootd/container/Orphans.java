package org.tpubootd.container;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;
import org.tpubootd.core.Step;

/**
 * Removes containers of ours whose part is in the configuration no more, such as an extra one that
 * was taken out of it, and what is remembered of them.
 */
public final class Orphans implements Component {

  private static final Part PART =
      new Part("container/" + ContainersConfig.ORPHANS, Part.Group.CONTAINER, false);

  private static final int AT_ONCE = 10;

  private final Engine engine;
  private final ContainersConfig config;
  private final Set<String> parts;
  private final StateStore states;
  private final Removal removal;

  /**
   * @param states keep something of each part that has had a container
   */
  public Orphans(Engine engine, ContainersConfig config, StateStore states) {
    this.engine = engine;
    this.config = config;
    this.parts =
        config.all().stream().map(ContainerConfig::name).collect(Collectors.toUnmodifiableSet());
    this.states = states;
    this.removal = new Removal(engine, config, PART.name());
  }

  @Override
  public Part part() {
    return PART;
  }

  /** Nothing makes an orphan but a new configuration, after which this is a new component. */
  @Override
  public Duration interval() {
    return Duration.ofMinutes(1);
  }

  /** For a handful of orphans; more are removed in the passes that follow. */
  @Override
  public Duration longestPass() {
    return config.stopTimeout().plus(config.callDeadline().multipliedBy(3)).multipliedBy(AT_ONCE);
  }

  @Override
  public Plan plan() throws IOException, InterruptedException {
    try {
      List<Observed> orphans = engine.ofOtherParts(parts);
      Finding none = Finding.ok("no container of tpu-bootd is without its part");
      if (orphans.isEmpty()) {
        Set<String> memories = memories();
        return memories.isEmpty()
            ? Plan.nothingToDo(none)
            : new Plan(
                none,
                memories.stream().map(Orphans::step).toList(),
                _ -> {
                  forget(memories);
                  return none;
                });
      }
      return new Plan(
          Finding.degraded(
              counted(orphans.size()),
              "their parts were taken out of it",
              "nothing: they are removed"),
          orphans.stream().map(Orphans::step).toList(),
          _ -> {
            try {
              removal.of(orphans.subList(0, Math.min(orphans.size(), AT_ONCE)));
              if (orphans.size() > AT_ONCE) {
                return Finding.degraded(
                    counted(orphans.size() - AT_ONCE),
                    "%d others were removed just now".formatted(AT_ONCE),
                    "nothing: they are removed");
              }
              forget(memories());
              return none;
            } catch (EngineException e) {
              return Trouble.of(e);
            }
          });
    } catch (EngineException e) {
      return Plan.nothingToDo(Trouble.of(e));
    }
  }

  private static String counted(int orphans) {
    return orphans == 1
        ? "1 container of tpu-bootd is in the configuration no more"
        : orphans + " containers of tpu-bootd are in the configuration no more";
  }

  /** Of parts that are in the configuration no more. */
  private Set<String> memories() throws IOException, InterruptedException {
    return states.parts().stream()
        .filter(part -> !parts.contains(part))
        .collect(Collectors.toUnmodifiableSet());
  }

  private void forget(Set<String> memories) throws IOException, InterruptedException {
    for (String part : memories) {
      states.remove(part);
    }
  }

  private static Step step(String part) {
    return new Step(
        "forget how the container of " + part + " ended",
        "the part is in the configuration no more, and its container is gone");
  }

  private static Step step(Observed orphan) {
    String part = orphan.labels().getOrDefault(ContainerSpec.PART_LABEL, "");
    return new Step(
        "remove " + orphan.name() + " (" + orphan.shortId() + ")",
        "its part " + part + " is in the configuration no more");
  }
}
