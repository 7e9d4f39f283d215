package org.tpubootd.config;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the main file and the drop-ins, each over the ones before, and makes records of them. */
public final class ConfigLoader {

  private final HostRoot root;

  public ConfigLoader(HostRoot root) {
    this.root = root;
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
    var merged = new Value.Table(Map.of(), Map.of(), new Value.Origin(Config.MAIN_FILE, 1));
    for (Path file : files()) {
      merged = merged.under(new YamlFile(root.onHost(file)).read(file));
    }
    return bind(merged);
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

  private List<Path> files() throws ConfigException {
    var files = new ArrayList<Path>();
    Path main = root.resolve(Config.MAIN_FILE);
    if (Files.exists(main)) {
      files.add(main);
    }
    Path dropIns = root.resolve(Config.DROP_INS);
    if (Files.isDirectory(dropIns)) {
      var found = new ArrayList<Path>();
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(dropIns, "*.yaml")) {
        for (Path file : stream) {
          // Editors leave hidden files beside the one they edit.
          if (!file.getFileName().toString().startsWith(".")) {
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
