package org.tpubootd.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A place in the metadata tree below {@code /computeMetadata/v1/}.
 *
 * @param segments the names from the root on, not escaped; a last one that is empty names a
 *     directory
 */
public record MetadataPath(List<String> segments) {

  private static final String ATTRIBUTES = "attributes";

  public MetadataPath {
    segments = List.copyOf(segments);
  }

  /** An attribute of the instance. A slash in the key is part of the key. */
  public static MetadataPath attribute(String key) {
    return new MetadataPath(List.of("instance", ATTRIBUTES, key));
  }

  /**
   * What the page's script asks for: {@code instance/TYPE/KEY}. Attributes are the only type that
   * has no directories below it, so in all others a slash in the key leads deeper, as in {@code
   * 0/ip} of {@code network-interfaces}.
   */
  static MetadataPath instance(String type, String key) {
    if (type.equals(ATTRIBUTES)) {
      return attribute(key);
    }
    var segments = new ArrayList<>(List.of("instance"));
    segments.addAll(List.of(type.split("/", -1)));
    segments.addAll(List.of(key.split("/", -1)));
    return new MetadataPath(segments);
  }

  /** As it stands in a URI, and in messages: no character of it can break a line of the log. */
  @Override
  public String toString() {
    return segments.stream().map(MetadataPath::escape).collect(Collectors.joining("/"));
  }

  /** For one segment of a path, or one value of a query. */
  static String escape(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }
}
