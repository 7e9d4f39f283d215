package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.HostRoot;

/** Tests for {@link ContainerSpec}. */
class ContainerSpecTest {

  @TempDir Path root;

  /**
   * If this one fails, an upgrade of tpu-bootd restarts vBar on every host: what is new in a spec
   * must leave the hash alone where it is not set.
   */
  @Test
  void hash_sameInEveryVersion() throws Exception {
    assertThat(spec(Configs.VBAR).hash())
        .isEqualTo("5fea3e6ff8955d4a472e1041db4bf752dc5d7291df98c650fff71dd7ee94e2c6");
    var config =
        Configs.vbar(List.of("--uid=${uid}", "-v"), Map.of("B", "2", "A", "1"), null, null);
    assertThat(spec(config).hash())
        .isEqualTo("1fcb0295604565342eb64c3af4fc33a535768642c456ec85122197995bbaea11");
  }

  @Test
  void hash_orderOfVariablesDoesNotMatter() throws Exception {
    var oneWay = new LinkedHashMap<String, String>();
    oneWay.put("A", "1");
    oneWay.put("B", "2");
    var otherWay = new LinkedHashMap<String, String>();
    otherWay.put("B", "2");
    otherWay.put("A", "1");
    assertThat(hashOf(List.of(), oneWay)).isEqualTo(hashOf(List.of(), otherWay));
  }

  @Test
  void hash_wordsOfTheCommandCannotRunTogether() throws Exception {
    assertThat(hashOf(List.of("a b"), Map.of())).isNotEqualTo(hashOf(List.of("a", "b"), Map.of()));
    assertThat(hashOf(List.of("a\ncommand 1 b"), Map.of()))
        .isNotEqualTo(hashOf(List.of("a", "b"), Map.of()));
  }

  @Test
  void hash_changesWithTheContentOfTheConfigFile() throws Exception {
    Files.writeString(root.resolve("c.yaml"), "a: 1\n");
    var config = Configs.vbar(List.of(), Map.of(), "/c.yaml", "/etc/c.yaml");
    String before = spec(config).hash();
    assertThat(spec(config).hash()).isEqualTo(before);
    Files.writeString(root.resolve("c.yaml"), "a: 2\n");
    assertThat(spec(config).hash()).isNotEqualTo(before);
  }

  @Test
  void of_putsUserAndGroupIntoTheCommand() throws Exception {
    var config = Configs.vbar(List.of("--uid=${uid}", "--gid=${gid}"), Map.of(), null, null);
    assertThat(spec(config).command()).containsExactly("--uid=2000", "--gid=");
  }

  @Test
  void of_missingConfigFileIsTold() {
    var config = Configs.vbar(List.of(), Map.of(), "/c.yaml", "/etc/c.yaml");
    assertThatThrownBy(() -> spec(config))
        .isInstanceOf(ContainerSpec.Impossible.class)
        .hasMessage("the configuration file /c.yaml is not there or is no plain file");
  }

  @Test
  void of_configFileWithoutMountIsTold() {
    var config = Configs.vbar(List.of(), Map.of(), "/c.yaml", null);
    assertThatThrownBy(() -> spec(config))
        .isInstanceOf(ContainerSpec.Impossible.class)
        .hasMessage("of config-file and config-mount only one is set");
  }

  private String hashOf(List<String> command, Map<String, String> environment) throws Exception {
    return spec(Configs.vbar(command, environment, null, null)).hash();
  }

  private ContainerSpec spec(ContainerConfig config) throws ContainerSpec.Impossible {
    return ContainerSpec.of(config, config.image(), new HostRoot(root));
  }
}
