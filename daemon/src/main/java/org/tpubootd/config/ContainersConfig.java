package org.tpubootd.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The containers and the engine that runs them.
 *
 * @param engine the engine's socket; DOCKER_HOST in the environment goes first
 * @param callDeadline limit for each call to the engine that need not wait for an image
 * @param pullDeadline limit for a whole pull
 * @param pullStall a pull that makes no progress for so long is given up
 * @param stopTimeout how long a container has to stop by itself before it is killed
 * @param restartFirst bound of the first wait before a container that ended is started again
 * @param restartLongest bound that the doubling waits end at
 * @param healthyAfter a run of this length makes the waits begin with the first again
 */
public record ContainersConfig(
    String engine,
    Duration callDeadline,
    Duration pullDeadline,
    Duration pullStall,
    Duration stopTimeout,
    Duration restartFirst,
    Duration restartLongest,
    Duration healthyAfter,
    ContainerConfig vbar,
    ContainerConfig telemetry) {

  /** All but the two containers: what the engine and each container's loop are made of. */
  public List<Object> common() {
    return List.of(
        engine,
        callDeadline,
        pullDeadline,
        pullStall,
        stopTimeout,
        restartFirst,
        restartLongest,
        healthyAfter);
  }

  /** When an image is pulled. */
  public enum Pull {
    MISSING,
    ALWAYS,
    NEVER
  }

  /**
   * One container.
   *
   * @param name what it is called here and in {@code tpu-bootd status}: vbar
   * @param required whether the host is ready only when it runs
   * @param command arguments, or empty for the image's own; ${uid} and ${gid} stand for the keys
   * @param uid put into the command where it says ${uid}; empty keeps root (the page's {@code
   *     --uid=})
   * @param gid the same for ${gid}
   * @param memory limit in bytes; null for none
   * @param configFile host path of a file that is mounted read-only at {@code configMount}; null
   *     for none
   */
  public record ContainerConfig(
      String name,
      boolean enabled,
      boolean required,
      String image,
      Pull pull,
      List<String> command,
      String uid,
      String gid,
      Map<String, String> environment,
      boolean privileged,
      String network,
      @Nullable Long memory,
      long logMaxSize,
      int logFiles,
      @Nullable String configFile,
      @Nullable String configMount) {

    public Optional<Long> memoryIfAny() {
      return Optional.ofNullable(memory);
    }
  }

  /** The defaults of one container that differ from the others'. */
  private record Defaults(String name, boolean required, String image) {}

  private static final Defaults VBAR =
      new Defaults("vbar", true, "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1");
  private static final Defaults TELEMETRY =
      new Defaults("telemetry", false, "gcr.io/cloud-tpu-v2-images/ai-telemetry-collector:latest");

  /** The unit's TimeoutStopSec is 60 s, and the calls around the stop take their time, too. */
  private static final Duration LONGEST_STOP = Duration.ofSeconds(40);

  static ContainersConfig from(Section section) {
    return new ContainersConfig(
        section.text("engine", "unix:///var/run/docker.sock"),
        section.duration("call-deadline", Duration.ofSeconds(10)),
        section.duration("pull-deadline", Duration.ofMinutes(15)),
        section.duration("pull-stall", Duration.ofSeconds(60)),
        section.duration("stop-timeout", Duration.ofSeconds(10), LONGEST_STOP, "40 s"),
        section.duration("restart-first", Duration.ofSeconds(1)),
        section.duration("restart-longest", Duration.ofMinutes(5)),
        section.duration("healthy-after", Duration.ofMinutes(5)),
        container(section.section("vbar"), VBAR),
        container(section.section("telemetry"), TELEMETRY));
  }

  private static ContainerConfig container(Section section, Defaults defaults) {
    return new ContainerConfig(
        defaults.name(),
        section.flag("enabled", true),
        section.flag("required", defaults.required()),
        section.text("image", defaults.image()),
        section.choice("pull", Pull.MISSING),
        section.texts("command", List.of()),
        section.text("uid", ""),
        section.text("gid", ""),
        section.textMap("environment", Map.of()),
        section.flag("privileged", true),
        section.text("network", "host"),
        section.optionalSize("memory").orElse(null),
        section.size("log-max-size", 10 << 20),
        section.integer("log-files", 3, 1, 100),
        section.optionalText("config-file").orElse(null),
        section.optionalText("config-mount").orElse(null));
  }
}
