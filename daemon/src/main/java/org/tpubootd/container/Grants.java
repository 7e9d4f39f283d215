package org.tpubootd.container;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainerRights;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.ContainerSpec.Impossible;

/**
 * What a container gets of the host, looked up on it.
 *
 * @param user such as {@code 2000:2000}; empty for the image's own
 * @param nanoCpus billionths of a processor; 0 for no limit
 */
record Grants(
    String user,
    List<String> groups,
    List<Volume> volumes,
    List<Node> devices,
    long nanoCpus,
    List<Limit> ulimits,
    boolean hostPids) {

  private static final long UNLIMITED = -1;

  /**
   * @param source as the engine sees it
   */
  record Volume(String source, String target, boolean readOnly) {}

  /**
   * @param source as the engine sees it
   * @param access of r, w and m (make a node)
   */
  record Node(String source, String target, String access) {}

  /** -1 stands for unlimited. */
  record Limit(String name, long soft, long hard) {}

  Grants {
    groups = List.copyOf(groups);
    volumes = List.copyOf(volumes);
    devices = List.copyOf(devices);
    ulimits = List.copyOf(ulimits);
  }

  /**
   * @param key of the container in the configuration, with a dot at the end
   */
  static Grants of(ContainerRights rights, HostRoot root, String key) throws Impossible {
    if (rights.user().isEmpty() && !rights.group().isEmpty()) {
      throw new Impossible(
          "a group is set without a user", "set " + key + "user too, or use " + key + "groups");
    }
    var volumes = new ArrayList<Volume>();
    for (String text : rights.volumes()) {
      volumes.add(volume(text, root, key));
    }
    var devices = new ArrayList<Node>();
    for (String text : rights.devices()) {
      devices.add(node(text, root, key));
    }
    return new Grants(
        rights.group().isEmpty() ? rights.user() : rights.user() + ":" + rights.group(),
        rights.groups(),
        volumes,
        devices,
        nanos(rights.cpus()),
        limits(rights.ulimits(), key),
        rights.pidMode() == ContainerRights.PidMode.HOST);
  }

  private static Volume volume(String text, HostRoot root, String key) throws Impossible {
    String[] words = text.split(":", -1);
    Path source = root.resolve(words[0]);
    if (!Files.exists(source)) {
      throw new Impossible(
          words[0] + " is not there, which is to be mounted at " + words[1],
          "make it, or take it out of " + key + "volumes");
    }
    boolean readOnly = words.length > 2 && words[2].equals("ro");
    return new Volume(source.toAbsolutePath().toString(), words[1], readOnly);
  }

  private static Node node(String text, HostRoot root, String key) throws Impossible {
    String[] words = text.split(":", -1);
    Path source = root.resolve(words[0]);
    if (!Files.exists(source)) {
      throw new Impossible(
          "the device " + words[0] + " is not there",
          "see the part devices, or take it out of " + key + "devices");
    }
    // Docker takes a directory such as /dev/vfio and gives the container nothing of it.
    if (Files.isDirectory(source)) {
      throw new Impossible(
          words[0] + " is a directory, of which a container gets no device",
          "name each device in it under " + key + "devices");
    }
    return new Node(
        source.toAbsolutePath().toString(),
        words.length > 1 ? words[1] : words[0],
        words.length > 2 ? words[2] : "rwm");
  }

  private static long nanos(@Nullable BigDecimal cpus) {
    return cpus == null ? 0 : cpus.movePointRight(9).longValueExact();
  }

  private static List<Limit> limits(Map<String, String> texts, String key) throws Impossible {
    var limits = new ArrayList<Limit>();
    for (var entry : new TreeMap<>(texts).entrySet()) {
      long[] values =
          Arrays.stream(entry.getValue().split(":", -1))
              .mapToLong(word -> word.equals("unlimited") ? UNLIMITED : Long.parseLong(word))
              .toArray();
      long hard = values.length > 1 ? values[1] : values[0];
      if (hard != UNLIMITED && (values[0] == UNLIMITED || values[0] > hard)) {
        throw new Impossible(
            "the soft limit of " + entry.getKey() + " is above the hard one",
            "write soft:hard at " + key + "ulimits." + entry.getKey());
      }
      limits.add(new Limit(entry.getKey(), values[0], hard));
    }
    return limits;
  }

  /** Adds what is set, and nothing else, so that the hash of older specs stays what it was. */
  void addTo(BiConsumer<String, String> form) {
    if (!user.isEmpty()) {
      form.accept("user", user);
    }
    groups.forEach(group -> form.accept("group", group));
    for (Volume volume : volumes) {
      form.accept("volume", volume.source());
      form.accept("volume-target", volume.target());
      form.accept("volume-read-only", String.valueOf(volume.readOnly()));
    }
    for (Node device : devices) {
      form.accept("device", device.source());
      form.accept("device-target", device.target());
      form.accept("device-access", device.access());
    }
    if (nanoCpus != 0) {
      form.accept("nano-cpus", String.valueOf(nanoCpus));
    }
    ulimits.forEach(
        limit -> form.accept("ulimit", limit.name() + " " + limit.soft() + " " + limit.hard()));
    if (hostPids) {
      form.accept("pid-mode", "host");
    }
  }
}
