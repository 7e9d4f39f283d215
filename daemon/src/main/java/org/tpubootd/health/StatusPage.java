package org.tpubootd.health;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.tpubootd.core.Board;

/** {@code /status}: everything about each part, for machines. */
final class StatusPage implements Page {

  private final Board board;
  private final Supplier<List<String>> stuck;
  private final String version;
  private final Instant started;
  private final StatusJson json = new StatusJson();

  StatusPage(Board board, Supplier<List<String>> stuck, String version, Instant started) {
    this.board = board;
    this.stuck = stuck;
    this.version = version;
    this.started = started;
  }

  @Override
  public Answer answer(Question question) throws IOException {
    var document = StatusDocument.of(board.conditions(), stuck.get(), version, started);
    return new Answer(Answer.OK, "application/json", json.write(document) + "\n");
  }
}
