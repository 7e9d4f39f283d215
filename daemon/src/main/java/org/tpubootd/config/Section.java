package org.tpubootd.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the configuration while records are made of it. Asking for a key is what makes it
 * known: so the records are the only list of keys and defaults there is, and what was not asked for
 * is an unknown key.
 */
final class Section {

  private final String path;
  private final Value.@Nullable Table table;
  private final List<Setting> settings;
  private final Set<String> known = new LinkedHashSet<>();
  private final List<Section> children = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();

  /**
   * @param path dotted key of the section; empty for the whole
   * @param table null where no file has the section
   * @param settings takes what is effective, in the order asked
   */
  Section(String path, Value.@Nullable Table table, List<Setting> settings) {
    this.path = path;
    this.table = table;
    this.settings = settings;
  }

  Section section(String key) {
    known.add(key);
    var child =
        switch (value(key)) {
          case null -> new Section(full(key), null, settings);
          case Value.Table sub -> new Section(full(key), sub, settings);
          case Value other -> throw wrong(key, other, "a mapping of keys");
        };
    children.add(child);
    return child;
  }

  /** A list of mappings; none where the key is missing. */
  List<Section> sections(String key) {
    known.add(key);
    return switch (value(key)) {
      case null -> {
        show(key, "[]", null);
        yield List.of();
      }
      case Value.Items items -> {
        var sections = new ArrayList<Section>();
        for (Value item : items.values()) {
          if (!(item instanceof Value.Table sub)) {
            throw wrong(key, item, "a list of mappings");
          }
          sections.add(new Section(full(key) + "[" + sections.size() + "]", sub, settings));
        }
        if (sections.isEmpty()) {
          show(key, "[]", items);
        }
        children.addAll(sections);
        yield sections;
      }
      case Value other -> throw wrong(key, other, "a list of mappings");
    };
  }

  /**
   * A mapping of names to mappings; none where the key is missing. A name set to nothing is taken
   * away.
   */
  Map<String, Section> sectionMap(String key, String namePattern, String wantedNames) {
    known.add(key);
    Value given = value(key);
    if (given != null && !(given instanceof Value.Table)) {
      throw wrong(key, given, "a mapping of names to mappings");
    }
    var values = given instanceof Value.Table table ? table.values() : Map.<String, Value>of();
    var sections = new LinkedHashMap<String, Section>();
    values.forEach((name, value) -> {
      if (value instanceof Value.Scalar scalar && scalar.isNull()) {
        show(key + "." + name, "null", value);
      } else if (!name.matches(namePattern)) {
        throw new Wrong(
            "%s: '%s' must be named by %s"
                .formatted(value.origin(), full(key + "." + name), wantedNames));
      } else if (value instanceof Value.Table sub) {
        sections.put(name, new Section(full(key) + "." + name, sub, settings));
      } else {
        throw wrong(key + "." + name, value, "a mapping of keys");
      }
    });
    if (values.isEmpty()) {
      show(key, "{}", given);
    }
    children.addAll(sections.values());
    return sections;
  }

  String text(String key, String standard) {
    return value(key, standard, Form.TEXT);
  }

  String requiredText(String key) {
    return required(key, optionalText(key));
  }

  Optional<String> optionalText(String key) {
    return optional(key, Form.TEXT);
  }

  /** A text that fits a pattern. */
  String pattern(String key, String standard, String pattern, String wanted) {
    return value(key, standard, Form.pattern(pattern, wanted));
  }

  String address(String key, String standard) {
    return value(key, standard, Form.ADDRESS);
  }

  String requiredPattern(String key, String pattern, String wanted) {
    return required(key, optionalPattern(key, pattern, wanted));
  }

  Optional<String> optionalPattern(String key, String pattern, String wanted) {
    return optional(key, Form.pattern(pattern, wanted));
  }

  boolean flag(String key, boolean standard) {
    return value(key, standard, Form.FLAG);
  }

  int integer(String key, int standard, int least, int most) {
    return value(key, standard, Form.integer(least, most));
  }

  /**
   * @param standard null for none
   */
  @Nullable Integer optionalInteger(String key, @Nullable Integer standard, int least, int most) {
    Integer effective = given(key, Form.integer(least, most)).orElse(standard);
    show(key, String.valueOf(effective), value(key));
    return effective;
  }

  /** Permission bits, written in octal. */
  int mode(String key, int standard) {
    return value(key, standard, Form.MODE);
  }

  Duration duration(String key, Duration standard) {
    return duration(key, standard, Units.LONGEST, "a week");
  }

  /**
   * @param longest in words, for the message
   */
  Duration duration(String key, Duration standard, Duration most, String longest) {
    return value(key, standard, Form.durationUpTo(most, longest));
  }

  Duration duration(String key, Duration standard, Duration least) {
    return value(key, standard, Form.durationOfAtLeast(least));
  }

  /** Bytes. */
  long size(String key, long standard) {
    return value(key, standard, Form.SIZE);
  }

  Optional<Long> optionalSize(String key) {
    return optional(key, Form.SIZE);
  }

  <E extends Enum<E>> E choice(String key, E standard) {
    return value(key, standard, Form.choice(standard.getDeclaringClass()));
  }

  List<String> texts(String key, List<String> standard) {
    return list(key, standard, Form.TEXT.askedForAs("a list of texts"));
  }

  /** Texts of one form; none where the key is missing. */
  List<String> patterns(String key, String pattern, String wanted) {
    return list(key, List.of(), Form.pattern(pattern, wanted));
  }

  List<Integer> integers(String key, List<Integer> standard) {
    return list(
        key, standard, Form.integer(0, Integer.MAX_VALUE).askedForAs("a list of whole numbers"));
  }

  /**
   * A mapping of names to texts. Names in files are added to the standard ones; a name set to
   * nothing is taken away.
   */
  Map<String, String> textMap(String key, Map<String, String> standard) {
    known.add(key);
    Value given = value(key);
    if (given != null && !(given instanceof Value.Table)) {
      throw wrong(key, given, "a mapping of names to texts");
    }
    var values = given instanceof Value.Table table ? table.values() : Map.<String, Value>of();
    var result = new LinkedHashMap<>(standard);
    values.forEach((name, value) -> {
      if (!(value instanceof Value.Scalar scalar)) {
        throw wrong(key + "." + name, value, "text");
      }
      if (scalar.isNull()) {
        result.remove(name);
      } else {
        result.put(name, scalar.text());
      }
    });
    if (result.isEmpty() && values.isEmpty()) {
      show(key, "{}", given);
    }
    result.forEach(
        (name, text) -> show(key + "." + name, Form.TEXT.write().apply(text), values.get(name)));
    values.forEach((name, value) -> {
      if (!result.containsKey(name)) {
        show(key + "." + name, "null", value);
      }
    });
    return Collections.unmodifiableMap(result);
  }

  /** A mapping of names to texts of one form; none where the key is missing. */
  Map<String, String> patternMap(String key, String pattern, String wanted) {
    Map<String, String> result = textMap(key, Map.of());
    if (value(key) instanceof Value.Table given) {
      given
          .values()
          .forEach((name, value) -> {
            String text = result.get(name);
            if (text != null && !text.matches(pattern)) {
              throw wrong(key + "." + name, value, wanted);
            }
          });
    }
    return result;
  }

  /**
   * Throws for the first key, in the order of the files, that nothing asked for, or else for one
   * that is required and not there.
   */
  void checkKeys() {
    if (table != null) {
      for (var entry : table.keys().entrySet()) {
        String key = entry.getKey();
        if (!known.contains(key)) {
          throw new Wrong(
              "%s: unknown key '%s'%s"
                  .formatted(
                      entry.getValue(),
                      full(key),
                      Words.nearest(key, known)
                          .map(near -> "; did you mean '" + full(near) + "'?")
                          .orElse("; known here: " + String.join(", ", known))));
        }
      }
    }
    if (!missing.isEmpty()) {
      throw new Wrong(
          "%s: '%s' is missing"
              .formatted(Objects.requireNonNull(table).origin(), full(missing.getFirst())));
    }
    children.forEach(Section::checkKeys);
  }

  /** A value that cannot be taken; the loader makes a ConfigException of it. */
  static final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1;

    Wrong(String message) {
      super(message);
    }
  }

  private <T> T value(String key, T standard, Form<T> form) {
    T effective = given(key, form).orElse(standard);
    show(key, form.write().apply(effective), value(key));
    return effective;
  }

  private <T> Optional<T> optional(String key, Form<T> form) {
    Optional<T> effective = given(key, form);
    show(key, effective.map(form.write()).orElse("null"), value(key));
    return effective;
  }

  private <T> Optional<T> given(String key, Form<T> form) {
    known.add(key);
    return switch (value(key)) {
      case null -> Optional.empty();
      case Value.Scalar scalar -> {
        T read = form.read().apply(scalar.text());
        if (read == null) {
          throw wrong(key, scalar, form.wanted());
        }
        yield Optional.of(read);
      }
      case Value other -> throw wrong(key, other, form.wanted());
    };
  }

  private <T> List<T> list(String key, List<T> standard, Form<T> form) {
    known.add(key);
    Value given = value(key);
    List<T> result =
        switch (given) {
          case null -> standard;
          case Value.Items items -> {
            var read = new ArrayList<T>();
            for (Value item : items.values()) {
              T one = item instanceof Value.Scalar scalar ? form.read().apply(scalar.text()) : null;
              if (one == null) {
                throw wrong(key, item, form.wanted());
              }
              read.add(one);
            }
            yield List.copyOf(read);
          }
          case Value other -> throw wrong(key, other, form.wanted());
        };
    show(key, "[" + String.join(", ", result.stream().map(form.write()).toList()) + "]", given);
    return result;
  }

  /** The value of a key; null where it is missing or set to nothing. */
  private @Nullable Value value(String key) {
    Value value = table == null ? null : table.values().get(key);
    return value instanceof Value.Scalar scalar && scalar.isNull() ? null : value;
  }

  private void show(String key, String value, @Nullable Value given) {
    String origin = given == null ? "default" : given.origin().toString();
    settings.add(new Setting(full(key), value, origin));
  }

  private Wrong wrong(String key, Value value, String wanted) {
    return new Wrong(
        "%s: '%s' must be %s, but is %s"
            .formatted(value.origin(), full(key), wanted, value.kind()));
  }

  /**
   * Complains in {@link #checkKeys} only: where a required key is missing because it was mistyped,
   * the unknown key is the better message.
   */
  private String required(String key, Optional<String> given) {
    if (given.isEmpty()) {
      missing.add(key);
    }
    return given.orElse("");
  }

  private String full(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }
}
