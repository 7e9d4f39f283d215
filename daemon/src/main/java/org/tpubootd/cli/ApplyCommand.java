package org.tpubootd.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.tpubootd.OneShot;
import org.tpubootd.Version;
import org.tpubootd.config.ConfigException;
import org.tpubootd.core.Board;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.health.StatusDocument;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** One pass of everything, or of the parts named. */
@Command(
    name = "apply",
    description = {
      "Make one pass of everything, or of the parts named, and show how each is then.",
      "Exit code 0: all required parts of these are ok. 1: not all are."
    })
final class ApplyCommand implements Callable<Integer> {

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Parameters(paramLabel = "PART", description = "Parts, such as tpu-env or devices.")
  private List<String> names = List.of();

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    var surroundings = common.surroundings();
    var config = common.configLoader().load().config();
    var started = surroundings.time().instant();
    var board = new Board(surroundings.time());
    Screen screen = output.screen();
    try (var once = new OneShot(surroundings, config, board, names)) {
      for (var component : once.components()) {
        once.post(component, ControlLoop.look(component, _ -> {}));
      }
      var status = StatusDocument.of(board.conditions(), List.of(), Version.current(), started);
      if (output.json()) {
        screen.json(status);
      } else {
        var table = new StatusTable(screen, surroundings.time().instant());
        table.print(status, names.isEmpty() ? "Ready." : "These parts are as they should be.");
      }
      return status.ready() ? ExitCode.OK : ExitCode.NOT_SO;
    }
  }
}
