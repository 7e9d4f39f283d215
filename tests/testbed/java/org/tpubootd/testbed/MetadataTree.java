package org.tpubootd.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;

/** The values, by their path below {@code /computeMetadata/v1/}. Not thread-safe. */
final class MetadataTree {

  static final String ATTRIBUTES = "instance/attributes/";

  private final SortedMap<String, String> leaves = new TreeMap<>();

  void put(String path, String text) {
    leaves.put(path, text);
  }

  void remove(String path) {
    leaves.remove(path);
  }

  /** One representation of a leaf or a directory. */
  record Page(String contentType, String text) {

    /** Sixteen hex digits made of the content, as the real server's look. */
    String etag() {
      var sum = new CRC32();
      sum.update(text.getBytes(UTF_8));
      return "%08x%08x".formatted(sum.getValue(), text.length());
    }
  }

  /**
   * @param alt text or json; empty where the client has no wish
   */
  Optional<Page> page(String path, boolean recursive, String alt) {
    String leaf = leaves.get(path);
    if (leaf != null) {
      boolean json = alt.equals("json");
      // The token is the one leaf that is JSON unless asked otherwise.
      String type = json || leaf.startsWith("{\"access_token\"") ? "json" : "text";
      return Optional.of(new Page("application/" + type, json ? json(leaf) : leaf));
    }
    String directory = path.isEmpty() || path.endsWith("/") ? path : path + "/";
    SortedMap<String, String> below = leaves.tailMap(directory).headMap(directory + '\uffff');
    if (below.isEmpty() && !directory.equals(ATTRIBUTES)) {
      return Optional.empty();
    }
    return Optional.of(
        !recursive
            ? new Page("application/text", listing(directory, below))
            : alt.equals("text")
                ? new Page("application/text", flat(directory, below))
                : new Page("application/json", json(nested(directory, below))));
  }

  private static String listing(String directory, Map<String, String> below) {
    var names = new TreeSet<String>();
    below
        .keySet()
        .forEach(path -> {
          String rest = path.substring(directory.length());
          int slash = rest.indexOf('/');
          names.add(slash < 0 ? rest : rest.substring(0, slash + 1));
        });
    return String.join("\n", names) + (names.isEmpty() ? "" : "\n");
  }

  private static String flat(String directory, Map<String, String> below) {
    var text = new StringBuilder();
    below.forEach((path, leaf) ->
        text.append(path.substring(directory.length())).append(' ').append(leaf).append('\n'));
    return text.toString();
  }

  private static Map<String, Object> nested(String directory, Map<String, String> below) {
    var root = new TreeMap<String, Object>();
    below.forEach((path, leaf) -> {
      String rest = path.substring(directory.length());
      int slash = rest.indexOf('/');
      if (slash < 0) {
        root.put(rest, leaf);
      } else {
        String child = directory + rest.substring(0, slash + 1);
        root.computeIfAbsent(
            rest.substring(0, slash), _ -> nested(child, startingWith(below, child)));
      }
    });
    return root;
  }

  private static Map<String, String> startingWith(Map<String, String> all, String prefix) {
    var some = new TreeMap<String, String>();
    all.forEach((path, leaf) -> {
      if (path.startsWith(prefix)) {
        some.put(path, leaf);
      }
    });
    return some;
  }

  private static String json(Object value) {
    try {
      return new ObjectMapper().writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts and maps of texts have no JSON form", e);
    }
  }
}
