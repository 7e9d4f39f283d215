package org.tpubootd.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.HostRoot;

/** Tests for {@link OtherAgents}. */
class OtherAgentsTest {

  @TempDir Path root;

  @ParameterizedTest
  @ValueSource(strings = {"vbar", "telemetry", "my-tool"})
  void nothingThere_allIsOurs(String agent) {
    assertThat(others().insteadOf(agent)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"vbar", "telemetry", "my-tool"})
  void nodeOfGke_nothingIsOurs(String agent) throws Exception {
    Files.createDirectories(root.resolve("home/kubernetes/bin"));

    assertThat(others().insteadOf(agent)).get().asString().startsWith("this is a node of GKE");
  }

  /** Somebody's own cluster has nobody else who runs vBar. */
  @Test
  void kubeletAlone_isNoNodeOfGke() throws Exception {
    file("var/lib/kubelet/config.yaml");

    assertThat(others().insteadOf("vbar")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "snap/ai-telemetry-collector/current",
        "var/lib/snapd/snaps/ai-telemetry-collector_8.snap"
      })
  void googlesSnap_takesTelemetryOnly(String path) throws Exception {
    file(path);

    assertThat(others().insteadOf("telemetry"))
        .contains(
            "the snap ai-telemetry-collector is installed; snap remove ai-telemetry-collector if"
                + " tpu-bootd is to run the agent");
    assertThat(others().insteadOf("vbar")).isEmpty();
  }

  @Test
  void otherSnap_isNothingToUs() throws Exception {
    file("var/lib/snapd/snaps/google-cloud-cli_1.snap");

    assertThat(others().insteadOf("telemetry")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/etc/systemd/system/, vbarcontrolagent",
    "/usr/lib/systemd/system/, vbarcontrolagent",
    "/lib/systemd/system/, vbar_control_agent",
  })
  void stockUnit_takesVbarOnly(String directory, String name) throws Exception {
    file(directory.substring(1) + name + ".service");

    assertThat(others().insteadOf("vbar"))
        .get()
        .asString()
        .startsWith("the unit " + directory + name + ".service is there; systemctl mask --now");
    assertThat(others().insteadOf("telemetry")).isEmpty();
  }

  @Test
  void stockUnitThatIsMasked_leavesVbarToUs() throws Exception {
    file("usr/lib/systemd/system/vbarcontrolagent.service");
    Path mask = root.resolve("etc/systemd/system/vbarcontrolagent.service");
    Files.createDirectories(mask.resolveSibling("."));
    Files.createSymbolicLink(mask, Path.of("/dev/null"));

    assertThat(others().insteadOf("vbar")).isEmpty();
  }

  private OtherAgents others() {
    return new OtherAgents(new HostRoot(root));
  }

  private void file(String path) throws Exception {
    Path file = root.resolve(path);
    Files.createDirectories(file.resolveSibling("."));
    Files.createFile(file);
  }
}
