package org.tpubootd.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A value of a YAML file, with the place it comes from. */
sealed interface Value {

  Origin origin();

  /** Where a value stands: a file, and a line counted from 1. */
  record Origin(String file, int line) {
    /** Not a place in a file, but a variable of the environment. */
    static Origin ofVariable(String name) {
      return new Origin(name + " in the environment", 0);
    }

    @Override
    public String toString() {
      return line == 0 ? file : file + ":" + line;
    }
  }

  /** A scalar: its literal text, which YAML's own typing has not touched. */
  record Scalar(String text, boolean isNull, Origin origin) implements Value {}

  /** A list. */
  record Items(List<Value> values, Origin origin) implements Value {}

  /** A mapping; {@code keys} tells where each key stands. */
  record Table(Map<String, Value> values, Map<String, Origin> keys, Origin origin)
      implements Value {

    /** This table with another laid over it: tables are merged, all else is replaced. */
    Table under(Table later) {
      var values = new LinkedHashMap<>(this.values);
      var keys = new LinkedHashMap<>(this.keys);
      later.values.forEach((key, value) -> {
        values.merge(
            key,
            value,
            (below, above) ->
                below instanceof Table lower && above instanceof Table upper
                    ? lower.under(upper)
                    : above);
        keys.put(key, Objects.requireNonNull(later.keys.get(key)));
      });
      return new Table(values, keys, later.origin);
    }
  }

  /** What a person would call this kind of value. */
  default String kind() {
    return switch (this) {
      case Scalar scalar when scalar.isNull() -> "nothing";
      case Scalar scalar -> "'" + scalar.text() + "'";
      case Items _ -> "a list";
      case Table _ -> "a mapping";
    };
  }
}
