package org.tpubootd.config;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

  String text(String key, String standard) {
    return scalar(key, standard, "text", Function.identity(), Section::quote);
  }

  String requiredText(String key) {
    return required(key, optionalText(key));
  }

  Optional<String> optionalText(String key) {
    return optional(key, "text", Function.identity(), Section::quote);
  }

  /** A text that fits a pattern. */
  String pattern(String key, String standard, String pattern, String wanted) {
    return scalar(
        key, standard, wanted, text -> text.matches(pattern) ? text : null, Section::quote);
  }

  /** An address of IP: no names, since a resolver may hang or lie at boot. */
  String address(String key, String standard) {
    return scalar(
        key, standard, "an IP address such as 127.0.0.1 or ::1", Section::literal, Section::quote);
  }

  private static @Nullable String literal(String text) {
    try {
      InetAddress.ofLiteral(text);
      return text;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  String requiredPattern(String key, String pattern, String wanted) {
    return required(key, optionalPattern(key, pattern, wanted));
  }

  Optional<String> optionalPattern(String key, String pattern, String wanted) {
    return optional(key, wanted, text -> text.matches(pattern) ? text : null, Section::quote);
  }

  boolean flag(String key, boolean standard) {
    return scalar(
        key,
        standard,
        "true or false",
        text ->
            switch (text) {
              case "true" -> true;
              case "false" -> false;
              default -> null;
            },
        String::valueOf);
  }

  int integer(String key, int standard, int least, int most) {
    return scalar(
        key,
        standard,
        "a whole number from " + least + " to " + most,
        text -> wholeNumber(text, least, most),
        String::valueOf);
  }

  /** Permission bits, written in octal. */
  int mode(String key, int standard) {
    return scalar(
        key,
        standard,
        "permission bits in octal such as \"0666\"",
        text -> text.matches("0?[0-7]{3}") ? Integer.parseInt(text, 8) : null,
        mode -> "\"%04o\"".formatted(mode));
  }

  Duration duration(String key, Duration standard) {
    return duration(key, standard, Units.LONGEST, "a week");
  }

  /**
   * @param longest in words, for the message
   */
  Duration duration(String key, Duration standard, Duration most, String longest) {
    return scalar(
        key,
        standard,
        "a duration such as 500ms, 10s, 2m or 1h, above zero and up to " + longest,
        text -> {
          Duration duration = Units.duration(text);
          return duration == null || duration.compareTo(most) > 0 ? null : duration;
        },
        Units::show);
  }

  long size(String key, long standard) {
    return scalar(
        key, standard, "a size above zero such as 512MiB or 10m", Units::size, String::valueOf);
  }

  Optional<Long> optionalSize(String key) {
    return optional(key, "a size above zero such as 512MiB or 10m", Units::size, String::valueOf);
  }

  <E extends Enum<E>> E choice(String key, E standard) {
    Class<E> type = standard.getDeclaringClass();
    var words = new LinkedHashMap<String, E>();
    for (E constant : type.getEnumConstants()) {
      words.put(constant.name().toLowerCase(Locale.ROOT), constant);
    }
    return scalar(
        key,
        standard,
        "one of " + String.join(", ", words.keySet()),
        words::get,
        constant -> constant.name().toLowerCase(Locale.ROOT));
  }

  List<String> texts(String key, List<String> standard) {
    return list(key, standard, "a list of texts", Function.identity(), Section::quote);
  }

  List<Integer> integers(String key, List<Integer> standard) {
    return list(
        key,
        standard,
        "a list of whole numbers",
        text -> wholeNumber(text, 0, Integer.MAX_VALUE),
        String::valueOf);
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
    result.forEach((name, text) -> show(key + "." + name, quote(text), values.get(name)));
    values.forEach((name, value) -> {
      if (!result.containsKey(name)) {
        show(key + "." + name, "null", value);
      }
    });
    return Collections.unmodifiableMap(result);
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

  private <T> T scalar(
      String key,
      T standard,
      String wanted,
      Function<String, @Nullable T> parse,
      Function<T, String> write) {
    T effective = given(key, wanted, parse).orElse(standard);
    show(key, write.apply(effective), value(key));
    return effective;
  }

  private <T> Optional<T> optional(
      String key, String wanted, Function<String, @Nullable T> parse, Function<T, String> write) {
    Optional<T> effective = given(key, wanted, parse);
    show(key, effective.map(write).orElse("null"), value(key));
    return effective;
  }

  private <T> Optional<T> given(String key, String wanted, Function<String, @Nullable T> parse) {
    known.add(key);
    return switch (value(key)) {
      case null -> Optional.empty();
      case Value.Scalar scalar -> {
        T parsed = parse.apply(scalar.text());
        if (parsed == null) {
          throw wrong(key, scalar, wanted);
        }
        yield Optional.of(parsed);
      }
      case Value other -> throw wrong(key, other, wanted);
    };
  }

  private <T> List<T> list(
      String key,
      List<T> standard,
      String wanted,
      Function<String, @Nullable T> parse,
      Function<T, String> write) {
    known.add(key);
    Value given = value(key);
    List<T> result =
        switch (given) {
          case null -> standard;
          case Value.Items items -> {
            var parsed = new ArrayList<T>();
            for (Value item : items.values()) {
              T one = item instanceof Value.Scalar scalar ? parse.apply(scalar.text()) : null;
              if (one == null) {
                throw wrong(key, item, wanted);
              }
              parsed.add(one);
            }
            yield List.copyOf(parsed);
          }
          case Value other -> throw wrong(key, other, wanted);
        };
    show(key, "[" + String.join(", ", result.stream().map(write).toList()) + "]", given);
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

  private static @Nullable Integer wholeNumber(String text, int least, int most) {
    if (!text.matches("-?[0-9]{1,10}")) {
      return null;
    }
    long number = Long.parseLong(text);
    return number < least || number > most ? null : (int) number;
  }

  private static final Pattern NEEDS_NO_QUOTES = Pattern.compile("[A-Za-z/][A-Za-z0-9_./:@-]*");
  private static final Set<String> READ_AS_OTHER =
      Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

  /** What YAML also takes for the end of a line, and the byte order mark. */
  private static final String ENDS_A_LINE_OR_A_FILE = "\u2028\u2029\ufeff";

  private static String quote(String text) {
    return NEEDS_NO_QUOTES.matcher(text).matches()
            && !text.endsWith(":")
            && !READ_AS_OTHER.contains(text.toLowerCase(Locale.ROOT))
        ? text
        : "\"" + text.chars().mapToObj(c -> escape((char) c)).collect(Collectors.joining()) + "\"";
  }

  private static String escape(char c) {
    return switch (c) {
      case '\\' -> "\\\\";
      case '"' -> "\\\"";
      case '\n' -> "\\n";
      case '\t' -> "\\t";
      default ->
          Character.isISOControl(c) || ENDS_A_LINE_OR_A_FILE.indexOf(c) >= 0
              ? "\\u%04x".formatted((int) c)
              : String.valueOf(c);
    };
  }
}
