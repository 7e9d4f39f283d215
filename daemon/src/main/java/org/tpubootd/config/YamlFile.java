package org.tpubootd.config;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.ReaderException;

/** Reads one YAML file into values that know their lines. */
final class YamlFile {

  private final String name;

  /**
   * @param name the file's name for messages and origins
   */
  YamlFile(String name) {
    this.name = name;
  }

  /** An empty file is an empty table. */
  Value.Table read(Path file) throws ConfigException {
    try {
      return parse(Files.readString(file));
    } catch (CharacterCodingException e) {
      throw new ConfigException(name + ": not UTF-8 text");
    } catch (AccessDeniedException e) {
      throw new ConfigException(name + ": cannot be read: permission denied");
    } catch (NoSuchFileException e) {
      throw new ConfigException(name + ": is a link that leads nowhere");
    } catch (IOException e) {
      throw new ConfigException(name + ": cannot be read: " + e.getMessage());
    }
  }

  Value.Table parse(String text) throws ConfigException {
    Node node;
    try {
      node = new Yaml(new SafeConstructor(new LoaderOptions())).compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      var mark = e.getProblemMark();
      String place = mark == null ? name : name + ":" + (mark.getLine() + 1);
      throw new ConfigException(place + ": broken YAML: " + e.getProblem());
    } catch (ReaderException e) {
      long line = 1 + text.codePoints().limit(e.getPosition()).filter(c -> c == '\n').count();
      throw new ConfigException(
          "%s:%d: broken YAML: the character U+%04X is not allowed"
              .formatted(name, line, e.getCodePoint()));
    } catch (YAMLException e) {
      throw new ConfigException(name + ": broken YAML: " + e.getMessage());
    }
    var top = new Value.Origin(name, 1);
    if (node == null) {
      return new Value.Table(Map.of(), Map.of(), top);
    }
    return switch (value(node, "")) {
      case Value.Table table -> table;
      case Value.Scalar scalar when scalar.isNull() -> new Value.Table(Map.of(), Map.of(), top);
      case Value other ->
          throw new ConfigException(
              other.origin() + ": the file must be a mapping of keys, but is " + other.kind());
    };
  }

  private Value value(Node node, String path) throws ConfigException {
    var origin = origin(node);
    if (node.isTwoStepsConstruction()) {
      throw new ConfigException(origin + ": an alias inside of its own anchor never ends");
    }
    return switch (node) {
      case ScalarNode scalar ->
          new Value.Scalar(scalar.getValue(), scalar.getTag().equals(Tag.NULL), origin);
      case SequenceNode sequence -> {
        var values = new ArrayList<Value>();
        for (Node item : sequence.getValue()) {
          values.add(value(item, path + "[" + values.size() + "]."));
        }
        yield new Value.Items(values, origin);
      }
      case MappingNode mapping -> table(mapping, path);
      default -> throw new ConfigException(origin + ": YAML of a kind that has no place here");
    };
  }

  private Value.Table table(MappingNode mapping, String path) throws ConfigException {
    var values = new LinkedHashMap<String, Value>();
    var keys = new LinkedHashMap<String, Value.Origin>();
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode keyNode)) {
        throw new ConfigException(origin(tuple.getKeyNode()) + ": a key must be a word");
      }
      String key = keyNode.getValue();
      var first = keys.putIfAbsent(key, origin(keyNode));
      if (first != null) {
        throw new ConfigException(
            "%s: the key '%s' stands twice; the first is in line %d"
                .formatted(origin(keyNode), path + key, first.line()));
      }
      values.put(key, value(tuple.getValueNode(), path + key + "."));
    }
    return new Value.Table(values, keys, origin(mapping));
  }

  private Value.Origin origin(Node node) {
    return new Value.Origin(name, node.getStartMark().getLine() + 1);
  }
}
