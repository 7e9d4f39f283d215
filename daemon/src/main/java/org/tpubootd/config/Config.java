package org.tpubootd.config;

/**
 * The whole configuration. Every key is optional; ConfigTest pins every default.
 *
 * @param log the least level that is logged: error, warn, info, debug or trace
 */
public record Config(
    LogLevel log,
    MetadataConfig metadata,
    FilesConfig files,
    DevicesConfig devices,
    ContainersConfig containers,
    HealthConfig health,
    SystemdConfig systemd) {

  static final String DIRECTORY = "/etc/tpu-bootd";
  static final String MAIN_NAME = "config.yaml";

  /** Where the files lie, as the host sees it. */
  public static final String MAIN_FILE = DIRECTORY + "/" + MAIN_NAME;

  /** Files in here are read after the main file, in the order of their names. */
  public static final String DROP_INS = DIRECTORY + "/config.d";

  static Config from(Section root) {
    return new Config(
        root.choice("log", LogLevel.INFO),
        MetadataConfig.from(root.section("metadata")),
        FilesConfig.from(root.section("files")),
        DevicesConfig.from(root.section("devices")),
        ContainersConfig.from(root.section("containers")),
        HealthConfig.from(root.section("health")),
        SystemdConfig.from(root.section("systemd")));
  }
}
