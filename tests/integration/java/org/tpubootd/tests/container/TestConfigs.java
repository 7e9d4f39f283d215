package org.tpubootd.tests.container;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.tpubootd.config.ContainerRights;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.config.ReadyConfig;

/** Configurations with short deadlines. */
final class TestConfigs {

  static final String VBAR_IMAGE = "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1";

  private TestConfigs() {}

  /** One container; what is not set is as in the page's {@code docker run}. */
  static final class One {
    private String name = "vbar";
    private String image = VBAR_IMAGE;
    private boolean enabled = true;
    private Pull pull = Pull.MISSING;
    private List<String> command = List.of();
    private Map<String, String> environment = Map.of();
    private boolean privileged = true;
    private String network = "host";
    private Long memory;
    private String configFile;
    private String configMount;
    private boolean imageFromTpuEnv;
    private ContainerRights rights = ContainerRights.NONE;
    private ReadyConfig ready = ReadyConfig.RUNNING;

    static One vbar() {
      return new One();
    }

    One name(String name) {
      this.name = name;
      return this;
    }

    One image(String image) {
      this.image = image;
      return this;
    }

    One pull(Pull pull) {
      this.pull = pull;
      return this;
    }

    One disabled() {
      enabled = false;
      return this;
    }

    /** Machines that build software seldom let a container be privileged. */
    One unprivileged() {
      privileged = false;
      return this;
    }

    One network(String name) {
      network = name;
      return this;
    }

    One memory(long bytes) {
      memory = bytes;
      return this;
    }

    One command(String... words) {
      command = List.of(words);
      return this;
    }

    One environment(Map<String, String> variables) {
      environment = variables;
      return this;
    }

    One mounting(String file, String mount) {
      configFile = file;
      configMount = mount;
      return this;
    }

    One imageFromTpuEnv() {
      imageFromTpuEnv = true;
      return this;
    }

    One rights(ContainerRights rights) {
      this.rights = rights;
      return this;
    }

    One ready(ReadyConfig ready) {
      this.ready = ready;
      return this;
    }

    ContainerConfig config() {
      return new ContainerConfig(
          name,
          enabled,
          true,
          image,
          imageFromTpuEnv,
          pull,
          command,
          "2000",
          "2000",
          environment,
          privileged,
          network,
          memory,
          10 << 20,
          3,
          configFile,
          configMount,
          rights,
          ready);
    }
  }

  /** No container ever has to wait before it is started again. */
  static ContainersConfig everyRunIsHealthy() {
    return limits(Duration.ofSeconds(5), Duration.ofNanos(1));
  }

  /** Limits that let a fault show itself soon. */
  static ContainersConfig limits(Duration callDeadline, Duration healthyAfter) {
    return new ContainersConfig(
        "unix:///not-read-here",
        callDeadline,
        Duration.ofSeconds(20),
        Duration.ofSeconds(1),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        healthyAfter,
        One.vbar().config(),
        One.vbar().name("telemetry").config(),
        List.of());
  }
}
