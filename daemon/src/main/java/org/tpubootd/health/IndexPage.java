package org.tpubootd.health;

/** {@code /}: what there is to ask for. */
final class IndexPage implements Page {

  private static final String LIST =
      """
      tpu-bootd
      /livez            200 while every control loop makes progress, else 503
      /readyz           200 when this host is ready, else 503
      /readyz?verbose   the same, with a line for each part
      /status           everything about each part, as JSON
      /metrics          the same for Prometheus
      """;

  @Override
  public Answer answer(Question question) {
    return Answer.text(Answer.OK, LIST);
  }
}
