package org.tpubootd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
                container("vbar", true, vbar, 8353),
                container("telemetry", false, telemetry, null),
                List.of()));
  }

  @Test
  void defaults_extraContainer() throws Exception {
    var extra =
        new ConfigFiles(directory)
            .main("containers: {extra: {my-tool: {image: 'tools/t:1'}}}")
            .config()
            .containers()
            .extra();

    assertThat(extra)
        .singleElement()
        .satisfies(one -> {
          assertThat(one.name()).isEqualTo("my-tool");
          assertThat(one.required()).isFalse();
          assertThat(one.privileged()).isFalse();
          assertThat(one.network()).isEqualTo("bridge");
          assertThat(one.rights()).isEqualTo(ContainerRights.NONE);
          assertThat(one.ready()).isEqualTo(ReadyConfig.RUNNING);
        });
  }

  private static ContainerConfig container(
      String name, boolean required, String image, @Nullable Integer port) {
    return new ContainerConfig(
        name,
        true,
        required,
        image,
        false,
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
        null,
        new ContainerRights(
            "",
            "",
            List.of(),
            List.of(),
            List.of(),
            null,
            Map.of(),
            ContainerRights.PidMode.PRIVATE),
        new ReadyConfig(
            ReadyConfig.Type.RUNNING,
            port,
            "/",
            null,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2)));
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
