package org.tpubootd.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * @param extra containers of the site's own
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
    ContainerConfig telemetry,
    List<ContainerConfig> extra) {

  /** No container has this name, since the part that looks for left-over ones has it. */
  public static final String ORPHANS = "orphans";

  /** All but the containers: what the engine and each container's loop are made of. */
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

  /** All containers, in the order in which a boot wants them. */
  public List<ContainerConfig> all() {
    var all = new ArrayList<>(List.of(vbar, telemetry));
    all.addAll(extra);
    return List.copyOf(all);
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
   * @param imageFromTpuEnv whether the image that tpu-env names goes before {@code image}
   */
  public record ContainerConfig(
      String name,
      boolean enabled,
      boolean required,
      String image,
      boolean imageFromTpuEnv,
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
      @Nullable String configMount,
      ContainerRights rights,
      ReadyConfig ready) {

    /** Where the container stands in the configuration, for messages. */
    public String key() {
      boolean known = name.equals(VBAR.name()) || name.equals(TELEMETRY.name());
      return known ? "containers." + name : "containers.extra." + name;
    }
  }

  /** The defaults of one container that differ from the others'. */
  private record Defaults(
      String name,
      boolean required,
      @Nullable String image,
      boolean privileged,
      String network,
      ReadyConfig ready) {}

  private static final int VBAR_PORT = 8353;

  private static final Defaults VBAR =
      new Defaults(
          "vbar",
          true,
          "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1",
          true,
          "host",
          ReadyConfig.running(VBAR_PORT));
  private static final Defaults TELEMETRY =
      new Defaults(
          "telemetry",
          false,
          "gcr.io/cloud-tpu-v2-images/ai-telemetry-collector:latest",
          true,
          "host",
          ReadyConfig.RUNNING);

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
        container(section.section("telemetry"), TELEMETRY),
        extra(section));
  }

  /** What is not Google's gets no more of the host than it asks for. */
  private static List<ContainerConfig> extra(Section section) {
    return section
        .sectionMap(
            "extra",
            "(?!(vbar|telemetry|" + ORPHANS + ")$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
            "small letters, digits and -, and not vbar, telemetry or " + ORPHANS)
        .entrySet()
        .stream()
        .map(entry ->
            container(
                entry.getValue(),
                new Defaults(entry.getKey(), false, null, false, "bridge", ReadyConfig.RUNNING)))
        .toList();
  }

  private static ContainerConfig container(Section section, Defaults defaults) {
    String image = defaults.image();
    return new ContainerConfig(
        defaults.name(),
        section.flag("enabled", true),
        section.flag("required", defaults.required()),
        image == null ? section.requiredText("image") : section.text("image", image),
        defaults.equals(VBAR) && section.flag("image-from-tpu-env", false),
        section.choice("pull", Pull.MISSING),
        section.texts("command", List.of()),
        section.text("uid", ""),
        section.text("gid", ""),
        section.textMap("environment", Map.of()),
        section.flag("privileged", defaults.privileged()),
        section.text("network", defaults.network()),
        section.optionalSize("memory").orElse(null),
        section.size("log-max-size", 10 << 20),
        section.integer("log-files", 3, 1, 100),
        section.optionalText("config-file").orElse(null),
        section.optionalText("config-mount").orElse(null),
        ContainerRights.from(section),
        ReadyConfig.from(section.section("ready"), defaults.ready()));
  }
}
