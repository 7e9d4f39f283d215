package org.tpubootd.tests.health;

import java.nio.file.Path;
import java.util.List;
import org.tpubootd.config.ConfigLoader;
import org.tpubootd.config.HealthConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Board;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Time;
import org.tpubootd.health.HealthEndpoint;

/**
 * The health endpoint in a process of its own, since the HTTP server's limits are those of a whole
 * JVM. Prints its port and runs until its input ends.
 */
public final class EndpointProgram {

  private EndpointProgram() {}

  public static void main(String[] args) throws Exception {
    var board = new Board(Time.system());
    board.enlist(new Part("tpu-env", Part.Group.HOST, true));
    board.enlist(new Part("devices", Part.Group.HOST, true));
    board.enlist(new Part("container/vbar", Part.Group.CONTAINER, true));
    board.post("tpu-env", Finding.ok("written"));
    board.post("devices", Finding.failed("3 of 4 bound", "one hangs \"here\"", "look"));
    var defaults = new ConfigLoader(new HostRoot(Path.of("/nonexistent"))).load().config();
    var config = new HealthConfig(true, defaults.health().address(), 0);
    try (var endpoint =
        new HealthEndpoint(config, board, () -> List.of("devices"), "0.1.0", Time.system())) {
      ControlLoop.look(endpoint, _ -> {});
      System.out.println(endpoint.port().orElseThrow());
      System.in.readAllBytes();
    }
  }
}
