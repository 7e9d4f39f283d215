package org.tpubootd.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Configuration files under a root of a test's own. */
final class ConfigFiles {

  private final HostRoot root;

  ConfigFiles(Path directory) {
    this.root = new HostRoot(directory);
  }

  ConfigFiles main(String yaml) throws IOException {
    return file(Config.MAIN_FILE, yaml);
  }

  ConfigFiles dropIn(String name, String yaml) throws IOException {
    return file(Config.DROP_INS + "/" + name, yaml);
  }

  private ConfigFiles file(String path, String yaml) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, yaml);
    return this;
  }

  Config config() throws ConfigException {
    return new ConfigLoader(root).load().config();
  }

  Setting setting(String key) throws ConfigException {
    return Objects.requireNonNull(settings().get(key), key);
  }

  Map<String, Setting> settings() throws ConfigException {
    return new ConfigLoader(root)
        .load().settings().stream().collect(Collectors.toMap(Setting::key, Function.identity()));
  }
}
