package org.tpubootd.container;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has been seen of one container so far, in this life of tpu-bootd and before it. */
final class History {

  private static final Logger log = LoggerFactory.getLogger(History.class);

  private static final int LOG_LINES = 50;

  /** A line may be a dump of megabytes, and /status is asked for by many. */
  private static final int LOG_LINE_CHARS = 1000;

  final Restarts restarts;
  final Trial trial;
  private final String part;
  private final Engine engine;
  private final Notebook notebook;
  private List<String> lastLog = List.of();
  private String lastLogOf = "";

  History(String part, Workplace place) {
    this.part = part;
    this.engine = place.engine();
    this.restarts =
        new Restarts(place.limits(), place.engine()::losses, place.time(), place.random());
    this.trial = new Trial(place.reloads());
    this.notebook = new Notebook(place.states(), part, place.root());
  }

  void load() throws InterruptedException {
    notebook.load(restarts, trial);
  }

  void save() throws InterruptedException {
    notebook.save(restarts, trial);
  }

  /** Takes notice of those that have ended. */
  void look(List<Observed> ours) throws InterruptedException {
    for (Observed container : ours) {
      if (container.status() == Observed.Status.EXITED) {
        look(container);
      }
    }
  }

  private void look(Observed ended) throws InterruptedException {
    boolean isLast = restarts.ended(ended) || restarts.isLastEnd(ended);
    if (!isLast || ended.run().equals(lastLogOf)) {
      return;
    }
    lastLogOf = ended.run();
    try {
      lastLog = engine.lastLog(ended.id(), LOG_LINES).stream().map(History::cut).toList();
    } catch (EngineException e) {
      lastLog = List.of();
      log.warn("container/{}: the last log lines could not be had: {}", part, e.getMessage());
    }
  }

  private static String cut(String line) {
    int more = line.length() - LOG_LINE_CHARS;
    return more > 0
        ? "%s... (%d more characters)".formatted(line.substring(0, LOG_LINE_CHARS), more)
        : line;
  }

  /** What the container that ended last had written at its end. */
  List<String> lastLog() {
    return lastLog;
  }
}
