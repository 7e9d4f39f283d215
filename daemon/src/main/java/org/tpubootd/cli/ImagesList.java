package org.tpubootd.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.tpubootd.ImagesOnce;
import org.tpubootd.config.ConfigException;
import org.tpubootd.container.ImageList;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows which images are needed and which are here. */
@Command(
    name = "list",
    description = {
      "List the images that the configuration needs, and the archives on this host.",
      "Exit code 0: each one is at the engine or in an archive. 1: not each, or the"
          + " engine does not answer."
    })
final class ImagesList implements Callable<Integer> {

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    var config = common.configLoader().load().config();
    Screen screen = output.screen();
    try (var once = new ImagesOnce(common.surroundings(), config)) {
      ImageList list = once.images().list();
      if (output.json()) {
        screen.json(list);
      } else {
        new ImagesTable(screen).print(list);
      }
      return list.isComplete() ? ExitCode.OK : ExitCode.NOT_SO;
    }
  }
}
