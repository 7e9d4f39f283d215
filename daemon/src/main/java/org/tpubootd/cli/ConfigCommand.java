package org.tpubootd.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.Setting;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints what is effective and where each value comes from. */
@Command(name = "config", description = "Print the effective configuration and its origins.")
final class ConfigCommand implements Callable<Integer> {

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws ConfigException {
    var settings = common.configLoader().load().settings();
    Screen screen = output.screen();
    if (output.json()) {
      screen.json(settings.stream().map(ConfigCommand::typed).toList());
      return ExitCode.OK;
    }
    String file = "";
    for (Setting setting : settings) {
      if (!setting.origin().equals(file)) {
        file = setting.origin();
        screen.line("# " + file);
      }
      screen.line(setting.key() + " = " + setting.value());
    }
    return ExitCode.OK;
  }

  /** For machines a number is a number, and a list is a list. */
  private static Map<String, @Nullable Object> typed(Setting setting) {
    var typed = new LinkedHashMap<String, @Nullable Object>();
    typed.put("key", setting.key());
    typed.put("value", new Yaml(new SafeConstructor(new LoaderOptions())).load(setting.value()));
    typed.put("origin", setting.origin());
    return typed;
  }
}
