package org.tpubootd.config;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a container gets of the host, beside what its image says.
 *
 * @param user name or number that its process runs as; empty for the image's own
 * @param group the same of its group; only with a user
 * @param groups further groups of the process
 * @param volumes {@code /host/path:/path/inside}, with {@code :ro} behind it for read-only
 * @param devices {@code /dev/x}, {@code /dev/x:/dev/inside} or {@code /dev/x:/dev/inside:rwm}
 * @param cpus how many processors' time it may use; null for all
 * @param ulimits {@code soft:hard} or one for both, numbers or {@code unlimited}, by their names
 */
public record ContainerRights(
    String user,
    String group,
    List<String> groups,
    List<String> volumes,
    List<String> devices,
    @Nullable BigDecimal cpus,
    Map<String, String> ulimits,
    PidMode pidMode) {

  /** Whose processes it sees. */
  public enum PidMode {
    /** Its own only. */
    PRIVATE,
    /** All of the host. */
    HOST;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Nothing but what the image says. */
  public static final ContainerRights NONE =
      new ContainerRights("", "", List.of(), List.of(), List.of(), null, Map.of(), PidMode.PRIVATE);

  static ContainerRights from(Section section) {
    return new ContainerRights(
        section.text("user", ""),
        section.text("group", ""),
        section.texts("groups", List.of()),
        section.patterns(
            "volumes",
            "/[^:]*:/[^:]+(:r[ow])?",
            "a list of volumes such as /host/path:/path/inside:ro"),
        section.patterns(
            "devices",
            "/dev/[^:]+(:/[^:]+(:[rwm]{1,3})?)?",
            "a list of devices such as /dev/vfio/0 or /dev/x:/dev/inside:rw"),
        section
            .optionalPattern(
                "cpus",
                "(?=.*[1-9])[0-9]{1,4}(\\.[0-9]{1,3})?",
                "a number of processors such as 2 or 0.5")
            .map(BigDecimal::new)
            .orElse(null),
        section.patternMap(
            "ulimits",
            "(unlimited|[0-9]{1,18})(:(unlimited|[0-9]{1,18}))?",
            "a limit such as unlimited, 4096 or 1024:4096"),
        section.choice("pid-mode", PidMode.PRIVATE));
  }
}
