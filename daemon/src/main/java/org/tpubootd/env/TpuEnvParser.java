package org.tpubootd.env;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.CollectionNode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.reader.ReaderException;

/** Makes a {@link TpuEnv} of the attribute's text. One use each. */
final class TpuEnvParser {

  static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** Every key of every capture known; "Error: try again later" has none such. */
  private static final Pattern UPPER_CASE = Pattern.compile("[A-Z][A-Z0-9_]*");

  private static final Pattern BLANK_OR_COMMENT = Pattern.compile("[ \t\r]*(#.*)?");

  private final Map<String, String> values = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();

  TpuEnv parse(String received) throws BadTpuEnvException {
    String text =
        withoutTabIndent(received.startsWith("\uFEFF") ? received.substring(1) : received);
    if (text.isBlank()) {
      throw new BadTpuEnvException(1, "it is empty");
    }
    if (text.stripLeading().startsWith("<")) {
      throw new BadTpuEnvException(1, "it is HTML or XML, not KEY: 'VALUE' lines");
    }
    for (NodeTuple tuple : mapping(text).getValue()) {
      take(tuple.getKeyNode(), tuple.getValueNode(), text);
    }
    if (values.keySet().stream().noneMatch(key -> UPPER_CASE.matcher(key).matches())) {
      throw new BadTpuEnvException(1, "none of its keys looks like one of tpu-env's");
    }
    return new TpuEnv(values, notes);
  }

  private static MappingNode mapping(String text) throws BadTpuEnvException {
    Node node;
    try {
      // Nodes only: no constructor runs, so no type is guessed and no class is made.
      node = new Yaml(new SafeConstructor(new LoaderOptions())).compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      var mark = e.getProblemMark() == null ? e.getContextMark() : e.getProblemMark();
      throw new BadTpuEnvException(
          mark == null ? 1 : mark.getLine() + 1, "broken YAML: " + e.getProblem());
    } catch (ReaderException e) {
      int line = 1 + (int) text.codePoints().limit(e.getPosition()).filter(c -> c == '\n').count();
      throw new BadTpuEnvException(
          line, "the character U+%04X has no place in YAML".formatted(e.getCodePoint()));
    } catch (YAMLException e) {
      throw new BadTpuEnvException(1, "broken YAML: " + e.getMessage());
    }
    if (node instanceof MappingNode mapping) {
      return mapping;
    }
    throw new BadTpuEnvException(
        node == null ? 1 : line(node), "it is not a mapping of KEY: 'VALUE' lines");
  }

  private void take(Node keyNode, Node valueNode, String text) {
    if (!(keyNode instanceof ScalarNode scalar) || !NAME.matcher(scalar.getValue()).matches()) {
      note(keyNode, "a key that is no name for a variable (" + shown(keyNode) + ") is left out");
      return;
    }
    String key = scalar.getValue();
    String value = literal(valueNode, text).orElse(null);
    if (value == null) {
      String kind = valueNode instanceof MappingNode ? "mapping" : "list";
      note(keyNode, key + " is left out: its value is a " + kind + " over several lines");
    } else if (value.indexOf('\0') >= 0) {
      note(keyNode, key + " is left out: its value holds a NUL, which no environment can");
    } else if (value.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF)) {
      note(keyNode, key + " is left out: its value holds half a character (a lone surrogate)");
    } else if (values.put(key, value) != null) {
      note(keyNode, key + " stands twice; the last value holds");
    }
  }

  /** The value's text; empty for a list or mapping that does not stand in one line. */
  private static Optional<String> literal(Node node, String text) {
    return switch (node) {
      case ScalarNode scalar -> Optional.of(scalar.getValue());
      case CollectionNode<?> collection when collection.getFlowStyle() == FlowStyle.FLOW ->
          // Marks count code points, Java counts UTF-16 units.
          Optional.of(
                  text.substring(
                      text.offsetByCodePoints(0, node.getStartMark().getIndex()),
                      text.offsetByCodePoints(0, node.getEndMark().getIndex())))
              .filter(source -> !source.contains("\n"));
      default -> Optional.empty();
    };
  }

  private static String shown(Node key) {
    if (!(key instanceof ScalarNode scalar)) {
      return "a list or mapping";
    }
    String text = scalar.getValue();
    return "'" + (text.length() > 40 ? text.substring(0, 40) + "..." : text) + "'";
  }

  private void note(Node where, String what) {
    notes.add("tpu-env, line " + line(where) + ": " + what);
  }

  private static int line(Node node) {
    return node.getStartMark().getLine() + 1;
  }

  /**
   * Takes off the white space that every line begins with, where there are tabs in it: YAML allows
   * a block to be indented as a whole, but not with tabs, while the readers that trim lines do.
   */
  private static String withoutTabIndent(String text) {
    String[] lines = text.split("\n", -1);
    String indent = null;
    for (String line : lines) {
      if (!BLANK_OR_COMMENT.matcher(line).matches()) {
        String own = line.substring(0, line.length() - line.stripLeading().length());
        indent = indent == null ? own : commonStart(indent, own);
      }
    }
    if (indent == null || !indent.contains("\t")) {
      return text;
    }
    for (int i = 0; i < lines.length; i++) {
      lines[i] =
          lines[i].startsWith(indent)
              ? lines[i].substring(indent.length())
              : lines[i].stripLeading();
    }
    return String.join("\n", lines);
  }

  private static String commonStart(String a, String b) {
    int length = 0;
    while (length < Math.min(a.length(), b.length()) && a.charAt(length) == b.charAt(length)) {
      length++;
    }
    return a.substring(0, length);
  }
}
