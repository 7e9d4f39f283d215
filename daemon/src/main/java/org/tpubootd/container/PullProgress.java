package org.tpubootd.container;

import com.github.dockerjava.api.model.PullResponseItem;
import java.util.LinkedHashMap;
import java.util.Map;

/** Adds up what the engine tells of a pull, layer by layer. Not thread-safe. */
final class PullProgress {

  private record Layer(String status, long current, long total, long bytes) {
    boolean done() {
      return status.equals("Pull complete") || status.equals("Already exists");
    }
  }

  private final Map<String, Layer> layers = new LinkedHashMap<>();

  /**
   * Takes the next item.
   *
   * @return whether something has really got further: that the engine tries again is no progress
   */
  boolean take(PullResponseItem item) {
    String id = item.getId();
    String status = item.getStatus();
    if (id == null || status == null) {
      return true;
    }
    if (status.startsWith("Retrying")) {
      return false;
    }
    if (status.startsWith("Pulling from")) {
      return true;
    }
    var detail = item.getProgressDetail();
    long current = detail == null || detail.getCurrent() == null ? 0 : detail.getCurrent();
    long total = detail == null || detail.getTotal() == null ? 0 : detail.getTotal();
    Layer before = layers.get(id);
    long size = total > 0 ? total : before == null ? 0 : before.total();
    // While a layer is unpacked, the engine counts it from nothing a second time.
    boolean downloading = status.equals("Downloading");
    boolean waiting = status.equals("Pulling fs layer") || status.equals("Waiting");
    long bytes = downloading ? current : waiting ? 0 : size;
    var now = new Layer(status, current, size, bytes);
    layers.put(id, now);
    return !now.equals(before);
  }

  /** For people: {@code 3 of 7 layers, 40 of 120 MB}. */
  @Override
  public String toString() {
    if (layers.isEmpty()) {
      return "its layers are not known yet";
    }
    long done = layers.values().stream().filter(Layer::done).count();
    long bytes = layers.values().stream().mapToLong(Layer::bytes).sum();
    long total = layers.values().stream().mapToLong(Layer::total).sum();
    String text = done + " of " + layers.size() + " layers";
    return total == 0 ? text : text + ", " + bytes / 1_000_000 + " of " + total / 1_000_000 + " MB";
  }
}
