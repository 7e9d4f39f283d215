package org.tpubootd.health;

import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.tpubootd.core.Board;

/** {@code /metrics}: the board for Prometheus, in its text format or in OpenMetrics. */
final class MetricsPage implements Page {

  private final Board board;
  private final Supplier<List<String>> stuck;
  private final BoardMetrics metrics;
  private final ExpositionFormats formats = ExpositionFormats.init();

  MetricsPage(Board board, Supplier<List<String>> stuck, String version, Instant started) {
    this.board = board;
    this.stuck = stuck;
    this.metrics = new BoardMetrics(version, started);
  }

  @Override
  public Answer answer(Question question) throws IOException {
    MetricSnapshots snapshots = metrics.of(board.conditions(), stuck.get());
    var openMetrics = formats.getOpenMetricsTextFormatWriter();
    var writer =
        openMetrics.accepts(question.accept())
            ? openMetrics
            : formats.getPrometheusTextFormatWriter();
    var bytes = new ByteArrayOutputStream();
    writer.write(bytes, snapshots);
    return new Answer(Answer.OK, writer.getContentType(), bytes.toString(StandardCharsets.UTF_8));
  }
}
