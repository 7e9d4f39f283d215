package org.tpubootd.metadata;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.tpubootd.core.FakeTime;

/** Gives the answers of a script, one a question; at its end the thread counts as interrupted. */
final class ScriptedMetadata implements Metadata {

  private record Line(Duration takes, Answer answer) {}

  private final FakeTime time;
  private final Deque<Line> script = new ArrayDeque<>();
  private final List<String> questions = new ArrayList<>();

  ScriptedMetadata(FakeTime time) {
    this.time = time;
  }

  ScriptedMetadata then(Answer answer) {
    return after(Duration.ZERO, answer);
  }

  ScriptedMetadata after(Duration takes, Answer answer) {
    script.add(new Line(takes, answer));
    return this;
  }

  static Answer value(String text, String etag) {
    return new Answer.Value(text, etag);
  }

  static Answer later(String cause) {
    return new Answer.TryLater(cause, Optional.empty());
  }

  /** {@code get PATH} and {@code wait PATH ETAG}, in order; the one without an answer too. */
  List<String> questions() {
    return questions;
  }

  @Override
  public Answer get(MetadataPath path) throws InterruptedException {
    return next("get " + path);
  }

  @Override
  public Answer waitForChange(MetadataPath path, String etag) throws InterruptedException {
    return next("wait " + path + " " + etag);
  }

  private Answer next(String question) throws InterruptedException {
    questions.add(question);
    Line line = script.poll();
    if (line == null) {
      throw new InterruptedException("the script is over");
    }
    time.advance(line.takes());
    return line.answer();
  }
}
