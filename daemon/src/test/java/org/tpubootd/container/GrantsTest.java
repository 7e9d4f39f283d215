package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.ContainerRights;
import org.tpubootd.config.ContainerRights.PidMode;
import org.tpubootd.config.HostRoot;

/** Tests for {@link Grants}. */
class GrantsTest {

  @TempDir Path root;

  @Test
  void of_looksEverythingUp() throws Exception {
    Files.createDirectories(root.resolve("var/data"));
    Files.createDirectories(root.resolve("dev/vfio"));
    Files.createFile(root.resolve("dev/vfio/0"));

    Grants grants =
        of(
            new ContainerRights(
                "2000",
                "100",
                List.of("video"),
                List.of("/var/data:/data", "/var/data:/old:ro"),
                List.of("/dev/vfio/0", "/dev/vfio/0:/dev/x:r"),
                new BigDecimal("0.5"),
                Map.of("memlock", "unlimited", "nofile", "1024:4096"),
                PidMode.HOST));

    String data = root.resolve("var/data").toString();
    String node = root.resolve("dev/vfio/0").toString();
    assertThat(grants)
        .isEqualTo(
            new Grants(
                "2000:100",
                List.of("video"),
                List.of(
                    new Grants.Volume(data, "/data", false), new Grants.Volume(data, "/old", true)),
                List.of(
                    new Grants.Node(node, "/dev/vfio/0", "rwm"),
                    new Grants.Node(node, "/dev/x", "r")),
                500_000_000,
                List.of(
                    new Grants.Limit("memlock", -1, -1), new Grants.Limit("nofile", 1024, 4096)),
                true));
  }

  @Test
  void of_volumeThatIsNotThereIsTold() {
    assertImpossible(
        volumes("/var/data:/data"),
        "/var/data is not there, which is to be mounted at /data",
        "make it, or take it out of containers.vbar.volumes");
  }

  @Test
  void of_deviceThatIsNotThereIsTold() {
    assertImpossible(
        devices("/dev/vfio/0"),
        "the device /dev/vfio/0 is not there",
        "see the part devices, or take it out of containers.vbar.devices");
  }

  @Test
  void of_directoryOfDevicesIsTold() throws Exception {
    Files.createDirectories(root.resolve("dev/vfio"));
    assertImpossible(
        devices("/dev/vfio"),
        "/dev/vfio is a directory, of which a container gets no device",
        "name each device in it under containers.vbar.devices");
  }

  @Test
  void of_groupWithoutUserIsTold() {
    assertImpossible(
        new ContainerRights(
            "", "100", List.of(), List.of(), List.of(), null, Map.of(), PidMode.PRIVATE),
        "a group is set without a user",
        "set containers.vbar.user too, or use containers.vbar.groups");
  }

  @Test
  void of_softLimitAboveTheHardOneIsTold() {
    assertImpossible(
        limit("unlimited:4096"),
        "the soft limit of nofile is above the hard one",
        "write soft:hard at containers.vbar.ulimits.nofile");
  }

  /** What is not in the hash can change without the container being replaced. */
  @Test
  void hash_changesWithEachRight() throws Exception {
    Files.createDirectories(root.resolve("var"));
    Files.createDirectories(root.resolve("dev"));
    Files.createFile(root.resolve("dev/x"));
    var rights =
        List.of(
            ContainerRights.NONE,
            user("2000", ""),
            user("2000", "1"),
            new ContainerRights(
                "", "", List.of("1"), List.of(), List.of(), null, Map.of(), PidMode.PRIVATE),
            volumes("/var:/data"),
            volumes("/var:/data:ro"),
            volumes("/var:/other"),
            devices("/dev/x"),
            devices("/dev/x:/dev/y"),
            devices("/dev/x:/dev/x:r"),
            new ContainerRights(
                "",
                "",
                List.of(),
                List.of(),
                List.of(),
                new BigDecimal("1.5"),
                Map.of(),
                PidMode.PRIVATE),
            limit("1"),
            limit("1:2"),
            limit("unlimited"),
            new ContainerRights(
                "", "", List.of(), List.of(), List.of(), null, Map.of(), PidMode.HOST));
    var hashes = new HashSet<String>();
    for (ContainerRights one : rights) {
      var config = Configs.vbar(one);
      hashes.add(ContainerSpec.of(config, config.image(), new HostRoot(root)).hash());
    }
    assertThat(hashes).hasSize(rights.size());
  }

  private Grants of(ContainerRights rights) throws ContainerSpec.Impossible {
    return Grants.of(rights, new HostRoot(root), "containers.vbar.");
  }

  private void assertImpossible(ContainerRights rights, String message, String action) {
    assertThatThrownBy(() -> of(rights))
        .isInstanceOfSatisfying(
            ContainerSpec.Impossible.class, e -> assertThat(e.action).isEqualTo(action))
        .hasMessage(message);
  }

  private static ContainerRights user(String user, String group) {
    return new ContainerRights(
        user, group, List.of(), List.of(), List.of(), null, Map.of(), PidMode.PRIVATE);
  }

  private static ContainerRights volumes(String volume) {
    return new ContainerRights(
        "", "", List.of(), List.of(volume), List.of(), null, Map.of(), PidMode.PRIVATE);
  }

  private static ContainerRights devices(String device) {
    return new ContainerRights(
        "", "", List.of(), List.of(), List.of(device), null, Map.of(), PidMode.PRIVATE);
  }

  private static ContainerRights limit(String text) {
    return new ContainerRights(
        "", "", List.of(), List.of(), List.of(), null, Map.of("nofile", text), PidMode.PRIVATE);
  }
}
