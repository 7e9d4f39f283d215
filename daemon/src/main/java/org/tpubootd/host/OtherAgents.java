package org.tpubootd.host;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.HostRoot;

/**
 * Tells of agents that somebody else runs on this host: GKE, a snap of Google's, or a unit of its
 * OS images. tpu-bootd leaves those alone and starts none beside them. Looks at files only.
 */
public final class OtherAgents {

  private static final Logger log = LoggerFactory.getLogger(OtherAgents.class);

  /** GKE's node images have it, and nothing else does: a kubelet alone is no GKE node. */
  private static final String GKE = "/home/kubernetes";

  private static final Map<String, List<String>> UNITS =
      Map.of("vbar", List.of("vbarcontrolagent", "vbar_control_agent"));

  private static final Map<String, String> SNAPS = Map.of("telemetry", "ai-telemetry-collector");

  /** In the order in which systemd looks: the first that has the unit decides. */
  private static final List<String> UNIT_DIRECTORIES =
      List.of(
          "/etc/systemd/system/",
          "/run/systemd/system/",
          "/usr/local/lib/systemd/system/",
          "/usr/lib/systemd/system/",
          "/lib/systemd/system/");

  private final HostRoot root;

  public OtherAgents(HostRoot root) {
    this.root = root;
  }

  /**
   * @param agent short name of the part, such as {@code vbar}
   * @return why the agent is not ours to run, a sentence; empty where it is
   */
  public Optional<String> insteadOf(String agent) {
    if (Files.isDirectory(followed(GKE))) {
      return Optional.of("this is a node of GKE, which runs its own agents: " + GKE + " is there");
    }
    return snap(agent).or(() -> unit(agent));
  }

  private Optional<String> snap(String agent) {
    String snap = SNAPS.get(agent);
    if (snap == null || !(Files.exists(followed("/snap/" + snap)) || hasSnapFile(snap))) {
      return Optional.empty();
    }
    return Optional.of(
        "the snap %1$s is installed; snap remove %1$s if tpu-bootd is to run the agent"
            .formatted(snap));
  }

  private boolean hasSnapFile(String snap) {
    Path directory = followed("/var/lib/snapd/snaps");
    if (!Files.isDirectory(directory)) {
      return false;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, snap + "_*.snap")) {
      return files.iterator().hasNext();
    } catch (IOException e) {
      log.debug("the snaps cannot be listed", e);
      return false;
    }
  }

  private Optional<String> unit(String agent) {
    for (String name : UNITS.getOrDefault(agent, List.of())) {
      for (String directory : UNIT_DIRECTORIES) {
        Path file = followed(directory).resolve(name + ".service");
        if (Files.isSymbolicLink(file) && isMask(file)) {
          break;
        }
        if (Files.exists(followed(directory + name + ".service"))) {
          return Optional.of(
              "the unit %s%s.service is there; systemctl mask --now %s if tpu-bootd is to run the"
                      .formatted(directory, name, name)
                  + " agent");
        }
      }
    }
    return Optional.empty();
  }

  /** A path whose links lead in circles has nothing at its end, as with the kernel. */
  private Path followed(String path) {
    try {
      return root.follow(path);
    } catch (IOException e) {
      log.debug("the links of {} cannot be followed", path, e);
      return root.resolve(path);
    }
  }

  /** A unit that is masked is a link to nothing: nobody can start it. */
  private static boolean isMask(Path link) {
    try {
      return Files.readSymbolicLink(link).equals(Path.of("/dev/null"));
    } catch (IOException e) {
      log.debug("the link {} cannot be read", link, e);
      return false;
    }
  }
}
