package org.tpubootd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.ContainersConfig.ContainerConfig;

/** Pins every default: a change here is a change of what every image does. */
class ConfigTest {

  @TempDir Path directory;

  private Config standard() throws ConfigException {
    return new ConfigFiles(directory).config();
  }

  @Test
  void defaults_top() throws Exception {
    assertThat(standard().log()).isEqualTo(LogLevel.INFO);
  }

  @Test
  void defaults_metadata() throws Exception {
    assertThat(standard().metadata())
        .isEqualTo(
            new MetadataConfig(
                "169.254.169.254",
                Duration.ofSeconds(2),
                Duration.ofSeconds(5),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30)));
  }

  @Test
  void defaults_files() throws Exception {
    assertThat(standard().files().owner()).isEqualTo("tpu-runtime");
    assertThat(standard().files().environment())
        .containsExactly(
            entry("CLOUDSDK_PYTHON", "/usr/bin/python3"),
            entry("GCS_RESOLVE_REFRESH_SECS", "60"),
            entry("GCS_REQUEST_CONNECTION_TIMEOUT_SECS", "300"),
            entry("GCS_METADATA_REQUEST_TIMEOUT_SECS", "300"),
            entry("GCS_READ_REQUEST_TIMEOUT_SECS", "300"),
            entry("GCS_WRITE_REQUEST_TIMEOUT_SECS", "600"));
  }

  @Test
  void defaults_devices() throws Exception {
    assertThat(standard().devices())
        .isEqualTo(
            new DevicesConfig(
                true,
                true,
                0666,
                DevicesConfig.UnsafeInterrupts.AUTO,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofMillis(500),
                List.of()));
  }

  @Test
  void defaults_containers() throws Exception {
    var vbar = "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1";
    var telemetry = "gcr.io/cloud-tpu-v2-images/ai-telemetry-collector:latest";
    assertThat(standard().containers())
        .isEqualTo(
            new ContainersConfig(
                "unix:///var/run/docker.sock",
                Duration.ofSeconds(10),
                Duration.ofMinutes(15),
                Duration.ofSeconds(60),
                Duration.ofSeconds(10),
                Duration.ofSeconds(1),
                Duration.ofMinutes(5),
                Duration.ofMinutes(5),
                container("vbar", true, vbar),
                container("telemetry", false, telemetry)));
  }

  private static ContainerConfig container(String name, boolean required, String image) {
    return new ContainerConfig(
        name,
        true,
        required,
        image,
        ContainersConfig.Pull.MISSING,
        List.of(),
        "",
        "",
        Map.of(),
        true,
        "host",
        null,
        10 * 1024 * 1024,
        3,
        null,
        null);
  }

  @Test
  void defaults_health() throws Exception {
    assertThat(standard().health()).isEqualTo(new HealthConfig(true, "127.0.0.1", 9595));
  }

  @Test
  void defaults_systemd() throws Exception {
    assertThat(standard().systemd()).isEqualTo(new SystemdConfig(Duration.ofMinutes(2)));
  }

  @Test
  void defaults_areAllShownWithTheirOrigin() throws Exception {
    assertThat(new ConfigFiles(directory).settings().values())
        .hasSizeGreaterThan(50)
        .allMatch(setting -> setting.origin().equals("default"));
  }

  @Test
  void settings_writtenToAFile_giveTheSameConfiguration() throws Exception {
    Path empty = directory.resolve("empty");
    int number = 0;
    for (Setting setting : new ConfigFiles(empty).settings().values()) {
      String[] path = setting.key().split("\\.");
      String yaml =
          "{" + String.join(": {", path) + ": " + setting.value() + "}".repeat(path.length);
      new ConfigFiles(directory).dropIn(number++ + ".yaml", yaml);
    }
    assertThat(standard()).isEqualTo(new ConfigFiles(empty).config());
    assertThat(new ConfigFiles(directory).settings().values())
        .noneMatch(
            setting -> setting.origin().equals("default") && !setting.value().equals("null"));
  }
}
