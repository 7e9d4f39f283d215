package org.tpubootd.health;

import java.util.List;
import java.util.function.Supplier;

/** {@code /livez}: whether the daemon itself works, whatever the host is like. */
final class LivezPage implements Page {

  private final Supplier<List<String>> stuck;

  LivezPage(Supplier<List<String>> stuck) {
    this.stuck = stuck;
  }

  @Override
  public Answer answer(Question question) {
    List<String> parts = stuck.get();
    return parts.isEmpty()
        ? Answer.text(Answer.OK, "ok\n")
        : Answer.text(Answer.UNAVAILABLE, "stuck: " + String.join(", ", parts) + "\n");
  }
}
