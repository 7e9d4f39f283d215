package org.tpubootd.config;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the main file and the drop-ins, each over the ones before, and makes records of them. */
public final class ConfigLoader {

  /** Variables of the environment that go before all files, and the key that each sets. */
  private static final Map<String, List<String>> VARIABLES =
      Map.of(
          "GCE_METADATA_HOST", List.of("metadata", "host"),
          "DOCKER_HOST", List.of("containers", "engine"));

  private final HostRoot root;
  private final Map<String, String> environment;

  /** For files alone. */
  public ConfigLoader(HostRoot root) {
    this(root, Map.of());
  }

  /**
   * @param environment the process's; a variable that is empty counts as not set
   */
  public ConfigLoader(HostRoot root, Map<String, String> environment) {
    this.root = root;
    this.environment = environment;
  }

  /**
   * A good configuration.
   *
   * @param settings what is effective and where it comes from, in the order of the records
   */
  public record Loaded(Config config, List<Setting> settings) {}

  /**
   * Reads all files there are.
   *
   * @throws ConfigException for the first thing that is wrong, with file, line and key
   */
  public Loaded load() throws ConfigException {
    var merged = nothing();
    for (Path file : files()) {
      String name = root.onHost(file);
      merged = merged.under(new YamlFile(name).read(followed(name)));
    }
    return bind(underEnvironment(merged));
  }

  private Value.Table underEnvironment(Value.Table files) {
    Value.Table merged = files;
    for (var variable : VARIABLES.entrySet()) {
      String text = environment.getOrDefault(variable.getKey(), "").strip();
      if (!text.isEmpty()) {
        merged = merged.under(layer(variable.getKey(), variable.getValue(), text));
      }
    }
    return merged;
  }

  /**
   * What is effective where there are no files: the environment and the defaults.
   *
   * @throws ConfigException where the environment itself is wrong
   */
  public Config withoutFiles() throws ConfigException {
    return bind(underEnvironment(nothing())).config();
  }

  private static Value.Table nothing() {
    return new Value.Table(Map.of(), Map.of(), new Value.Origin(Config.MAIN_FILE, 1));
  }

  /** A table with one key, as a file would give it. */
  private static Value.Table layer(String variable, List<String> path, String text) {
    var origin = Value.Origin.ofVariable(variable);
    Value value = new Value.Scalar(text, false, origin);
    for (String key : path.reversed()) {
      value = new Value.Table(Map.of(key, value), Map.of(key, origin), origin);
    }
    return (Value.Table) value;
  }

  static Loaded bind(Value.Table merged) throws ConfigException {
    var settings = new ArrayList<Setting>();
    var section = new Section("", merged, settings);
    try {
      Config config = Config.from(section);
      section.checkKeys();
      return new Loaded(config, List.copyOf(settings));
    } catch (Section.Wrong e) {
      throw new ConfigException(String.valueOf(e.getMessage()));
    }
  }

  private Path followed(String path) throws ConfigException {
    try {
      return root.follow(path);
    } catch (IOException e) {
      throw new ConfigException(path + ": its links cannot be followed: " + e.getMessage());
    }
  }

  private List<Path> files() throws ConfigException {
    var files = new ArrayList<Path>();
    Path main = followed(Config.DIRECTORY).resolve(Config.MAIN_NAME);
    // Not following links: one that leads nowhere is a mistake to be told, not a missing file.
    if (Files.exists(main, LinkOption.NOFOLLOW_LINKS)) {
      files.add(main);
    }
    Path dropIns = followed(Config.DROP_INS);
    if (Files.isDirectory(dropIns)) {
      var found = new ArrayList<Path>();
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(dropIns)) {
        for (Path file : stream) {
          String name = file.getFileName().toString();
          if (name.endsWith(".yml")) {
            throw new ConfigException(
                root.onHost(file) + ": is not read under this name; rename it to end in .yaml");
          }
          // Editors leave hidden files beside the one they edit.
          if (name.endsWith(".yaml") && !name.startsWith(".")) {
            found.add(file);
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        throw new ConfigException(Config.DROP_INS + ": cannot be listed: " + e.getMessage());
      }
      found.sort(null);
      files.addAll(found);
    }
    return files;
  }
}
