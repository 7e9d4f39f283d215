package org.tpubootd.cli;

import java.util.concurrent.Callable;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.ConfigLoader;
import org.tpubootd.config.Setting;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints what is effective and where each value comes from. */
@Command(name = "config", description = "Print the effective configuration and its origins.")
final class ConfigCommand implements Callable<Integer> {

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws ConfigException {
    var settings = new ConfigLoader(common.root()).load().settings();
    Screen screen = output.screen();
    if (output.json()) {
      screen.json(settings);
      return ExitCode.OK;
    }
    String file = "";
    for (Setting setting : settings) {
      if (!setting.origin().equals(file)) {
        file = setting.origin();
        screen.line("# " + file);
      }
      screen.line(setting.key() + ": " + setting.value());
    }
    return ExitCode.OK;
  }
}
