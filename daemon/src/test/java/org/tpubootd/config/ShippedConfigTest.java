package org.tpubootd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The config file that the package installs: what it says of defaults is so. */
class ShippedConfigTest {

  private static final Path FILE = Path.of("../packaging/rootfs/etc/tpu-bootd/config.yaml");

  @Test
  void asShipped_changesNothing() throws Exception {
    assertThat(new YamlFile("config.yaml").read(FILE).values()).isEmpty();
  }

  @Test
  void switchedOn_isEveryKeyWithItsDefault() throws Exception {
    var asWritten = bind(switchedOn());
    var defaults = bind("");

    assertThat(asWritten.config()).isEqualTo(defaults.config());
    assertThat(keys(asWritten)).containsExactlyElementsOf(keys(defaults));
    assertThat(asWritten.settings())
        .filteredOn(setting -> setting.origin().equals("default"))
        .map(Setting::value)
        .as("keys that the file does not name: only those that are null by default")
        .containsOnly("null");
  }

  @Test
  void startLineOfThePage_isReadyToUse() throws Exception {
    String line =
        Files.readAllLines(FILE).stream()
            .dropWhile(text -> !text.startsWith("##    command: [vbar_control_agent"))
            .limit(3)
            .map(text -> text.substring(2))
            .collect(Collectors.joining("\n"));

    var vbar = bind("containers:\n  vbar:\n" + line).config().containers().vbar();

    assertThat(vbar.command())
        .containsExactly(
            "vbar_control_agent",
            "--logtostderr",
            "--gid=${gid}",
            "--uid=${uid}",
            "--chroot=",
            "--census_enabled=false",
            "--loas_pwd_fallback_in_corp");
  }

  private static String switchedOn() throws IOException {
    return Files.readAllLines(FILE).stream()
        .filter(line -> !line.startsWith("##"))
        .map(line -> line.startsWith("#") ? line.substring(1) : line)
        .collect(Collectors.joining("\n"));
  }

  private static ConfigLoader.Loaded bind(String text) throws ConfigException {
    var none = new Value.Table(Map.of(), Map.of(), new Value.Origin("none", 1));
    return ConfigLoader.bind(none.under(new YamlFile("config.yaml").parse(text)));
  }

  private static List<String> keys(ConfigLoader.Loaded loaded) {
    return loaded.settings().stream().map(Setting::key).toList();
  }
}
