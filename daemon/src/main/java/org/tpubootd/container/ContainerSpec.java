package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.HostRoot;

/**
 * What a container is to be. Two things are never in it: a restart policy (tpu-bootd is the one
 * that restarts) and oom-kill-disable (a container that cannot be killed fills the kernel's log).
 */
record ContainerSpec(
    String part,
    ImageName image,
    List<String> command,
    Map<String, String> environment,
    boolean privileged,
    String network,
    @Nullable Long memory,
    long logMaxSize,
    int logFiles,
    Optional<ConfigFile> configFile) {

  /** Marks a container as ours and names the part that it is. */
  static final String PART_LABEL = "org.tpubootd.part";

  /** Holds the hash of the spec that the container was made from. */
  static final String SPEC_LABEL = "org.tpubootd.spec";

  /**
   * A file that is mounted read-only.
   *
   * @param source as the engine sees it
   * @param sum of the content, so that a changed file makes a changed spec
   */
  record ConfigFile(String source, String target, String sum) {}

  /** The configuration asks for a container that cannot be made. */
  static final class Impossible extends Exception {
    private static final long serialVersionUID = 1;

    /** What a person can do. */
    final String action;

    Impossible(String message, String action) {
      super(message);
      this.action = action;
    }
  }

  ContainerSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  static ContainerSpec of(ContainerConfig config, HostRoot root) throws Impossible {
    String key = "containers." + config.name() + ".";
    if (config.image().isBlank()) {
      throw new Impossible("no image is set", "set " + key + "image");
    }
    return new ContainerSpec(
        config.name(),
        ImageName.parse(config.image()),
        config.command().stream()
            .map(word -> word.replace("${uid}", config.uid()).replace("${gid}", config.gid()))
            .toList(),
        config.environment(),
        config.privileged(),
        config.network(),
        config.memory(),
        config.logMaxSize(),
        config.logFiles(),
        configFile(config, root, key));
  }

  private static Optional<ConfigFile> configFile(ContainerConfig config, HostRoot root, String key)
      throws Impossible {
    if (config.configFile() == null && config.configMount() == null) {
      return Optional.empty();
    }
    if (config.configFile() == null || config.configMount() == null) {
      throw new Impossible(
          "of config-file and config-mount only one is set",
          "set both " + key + "config-file and " + key + "config-mount, or none");
    }
    if (!config.configFile().startsWith("/") || !config.configMount().startsWith("/")) {
      throw new Impossible(
          "config-file or config-mount is not an absolute path",
          "begin both " + key + "config-file and " + key + "config-mount with /");
    }
    Path file = root.resolve(config.configFile());
    // Looked for here because some engines make a directory of a source that is not there.
    if (!Files.isRegularFile(file)) {
      throw new Impossible(
          "the configuration file " + config.configFile() + " is not there or is no plain file",
          "put the file there or take " + key + "config-file away");
    }
    try {
      return Optional.of(
          new ConfigFile(file.toAbsolutePath().toString(), config.configMount(), sumOf(file)));
    } catch (IOException e) {
      throw new Impossible(
          "the configuration file " + config.configFile() + " cannot be read: " + e.getMessage(),
          "make the file readable for root");
    }
  }

  private static String sumOf(Path file) throws IOException {
    try (var sum = new DigestOutputStream(OutputStream.nullOutputStream(), sha256())) {
      Files.copy(file, sum);
      return HexFormat.of().formatHex(sum.getMessageDigest().digest());
    }
  }

  /** What the container of a part is called. */
  static String nameOf(String part) {
    return "tpu-bootd-" + part;
  }

  /** What a new container is called while the old one still has the name. */
  static String nextNameOf(String part) {
    return nameOf(part) + "-next";
  }

  String name() {
    return nameOf(part);
  }

  String nextName() {
    return nextNameOf(part);
  }

  Map<String, String> labels() {
    return Map.of(PART_LABEL, part, SPEC_LABEL, hash());
  }

  /**
   * SHA-256 over a canonical form. A hash that changes without need restarts vBar on every host of
   * a fleet: so what is added to a spec later goes at the end, and only where it is set.
   */
  String hash() {
    var form = new StringBuilder();
    add(form, "part", part);
    add(form, "image", image.text());
    command.forEach(word -> add(form, "command", word));
    new TreeMap<>(environment).forEach((name, value) -> add(form, "env", name + "=" + value));
    add(form, "privileged", String.valueOf(privileged));
    add(form, "network", network);
    if (memory != null) {
      add(form, "memory", memory.toString());
    }
    add(form, "log-max-size", String.valueOf(logMaxSize));
    add(form, "log-files", String.valueOf(logFiles));
    configFile.ifPresent(file -> {
      add(form, "mount", file.source());
      add(form, "mount-target", file.target());
      add(form, "mount-sum", file.sum());
    });
    return HexFormat.of().formatHex(sha256().digest(form.toString().getBytes(UTF_8)));
  }

  /** The length before the value makes the form unambiguous, whatever the value holds. */
  private static void add(StringBuilder form, String key, String value) {
    form.append(key).append(' ').append(value.length()).append(' ').append(value).append('\n');
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
