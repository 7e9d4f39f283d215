package org.tpubootd.config;

import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How values of one kind are written in a file.
 *
 * @param wanted what is asked for, as the end of "must be"
 * @param read null where the text is no such value
 * @param write as YAML, so that what is shown can be pasted into a file
 */
record Form<T>(String wanted, Function<String, @Nullable T> read, Function<T, String> write) {

  static final Form<String> TEXT = new Form<>("text", Function.identity(), Form::quote);

  /** No names, since a resolver may hang or lie at boot. */
  static final Form<String> ADDRESS =
      new Form<>("an IP address such as 127.0.0.1 or ::1", Form::literal, Form::quote);

  static final Form<Boolean> FLAG =
      new Form<>(
          "true or false",
          text ->
              switch (text) {
                case "true" -> true;
                case "false" -> false;
                default -> null;
              },
          String::valueOf);

  static final Form<Integer> MODE =
      new Form<>(
          "permission bits in octal such as \"0666\"",
          text -> text.matches("0?[0-7]{3}") ? Integer.parseInt(text, 8) : null,
          mode -> "\"%04o\"".formatted(mode));

  static final Form<Long> SIZE =
      new Form<>("a size above zero such as 512MiB or 10m", Units::size, String::valueOf);

  /** A text that fits a pattern whole. */
  static Form<String> pattern(String pattern, String wanted) {
    return new Form<>(wanted, text -> text.matches(pattern) ? text : null, Form::quote);
  }

  static Form<Integer> integer(int least, int most) {
    return new Form<>(
        "a whole number from " + least + " to " + most,
        text -> wholeNumber(text, least, most),
        String::valueOf);
  }

  /**
   * @param longest the most in words, for the message
   */
  static Form<Duration> durationUpTo(Duration most, String longest) {
    return duration(
        "a duration such as 500ms, 10s, 2m or 1h, above zero and up to " + longest,
        Duration.ZERO,
        most);
  }

  static Form<Duration> durationOfAtLeast(Duration least) {
    return duration(
        "a duration such as 30s, 2m or 1h, of at least " + Units.show(least), least, Units.LONGEST);
  }

  private static Form<Duration> duration(String wanted, Duration least, Duration most) {
    return new Form<>(
        wanted,
        text -> {
          Duration duration = Units.duration(text);
          return duration == null || duration.compareTo(least) < 0 || duration.compareTo(most) > 0
              ? null
              : duration;
        },
        Units::show);
  }

  /** The constants of an enum, in small letters. */
  static <E extends Enum<E>> Form<E> choice(Class<E> type) {
    var words = new LinkedHashMap<String, E>();
    for (E constant : type.getEnumConstants()) {
      words.put(constant.name().toLowerCase(Locale.ROOT), constant);
    }
    return new Form<>(
        "one of " + String.join(", ", words.keySet()),
        words::get,
        constant -> constant.name().toLowerCase(Locale.ROOT));
  }

  /** The same values, asked for in other words, as where many of them make a list. */
  Form<T> askedForAs(String others) {
    return new Form<>(others, read, write);
  }

  private static @Nullable String literal(String text) {
    try {
      InetAddress.ofLiteral(text);
      return text;
    } catch (IllegalArgumentException _) {
      return null;
    }
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
