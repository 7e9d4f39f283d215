package org.tpubootd;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.tpubootd.config.Config;
import org.tpubootd.container.Engine;
import org.tpubootd.core.Board;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;

/** The components of one command that looks or works once and ends: all of them, or those named. */
public final class OneShot implements AutoCloseable {

  /** How long an absent metadata server is asked again, for all attributes together. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A part was named that there is not. */
  public static final class UnknownPartException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownPartException(String name, List<String> known) {
      super("there is no part '" + name + "'; the parts are " + String.join(", ", known));
    }
  }

  private final Board board;

  /**
   * What the gate of the containers reads: the devices' condition, whether they are named or not.
   */
  private final Board gate;

  private final MetadataSource metadata;
  private final Engine engine;
  private final List<Component> components;

  /**
   * Enlists the chosen parts on the board.
   *
   * @param names parts, or groups of them such as {@code container}; empty for all
   */
  public OneShot(Surroundings host, Config config, Board board, List<String> names)
      throws InterruptedException {
    this.board = board;
    gate = new Board(host.time());
    metadata = MetadataSource.asking(host, config.metadata(), PATIENCE);
    engine = Daemon.engine(host, config);
    var parts = Parts.of(host, config, metadata, engine, gate);
    var known = parts.stream().map(Parts.Wired::name).toList();
    for (String name : names) {
      if (known.stream().noneMatch(part -> isMeant(part, name))) {
        throw new UnknownPartException(name, known);
      }
    }
    components =
        parts.stream()
            .filter(part ->
                names.isEmpty() || names.stream().anyMatch(name -> isMeant(part.name(), name)))
            .map(Parts.Wired::component)
            .toList();
    components.forEach(component -> board.enlist(component.part()));
    parts.forEach(part -> gate.enlist(part.component().part()));
    if (names.stream().anyMatch(name -> name.startsWith("container"))) {
      lookAtDevices(parts);
    }
  }

  /** A container sees the devices that are there when it starts: so named alone, too, it waits. */
  private void lookAtDevices(List<Parts.Wired> parts) throws InterruptedException {
    for (var part : parts) {
      if (part.name().equals("devices")) {
        Finding now;
        try {
          now = part.component().plan().now();
        } catch (IOException e) {
          now =
              Finding.failed(
                  "cannot be looked at", String.valueOf(e.getMessage()), "see the cause");
        }
        gate.post(part.name(), now);
      }
    }
  }

  /** Shows what came of a component, also to the components after it. */
  public void post(Component component, Finding finding) {
    board.post(component.part().name(), finding);
    gate.post(component.part().name(), finding);
  }

  private static boolean isMeant(String part, String name) {
    return part.equals(name) || part.startsWith(name + "/");
  }

  /** In the order in which a boot wants them. */
  public List<Component> components() {
    return components;
  }

  @Override
  public void close() throws IOException {
    components.forEach(Component::close);
    metadata.close();
    engine.close();
  }
}
