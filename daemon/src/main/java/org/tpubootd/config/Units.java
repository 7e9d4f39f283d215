package org.tpubootd.config;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations and sizes as people write them. */
final class Units {

  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})([kmg]?)(i?b)?");

  private Units() {}

  /** Longer ones overflow the milliseconds of a socket, which are an int, and nobody means them. */
  static final Duration LONGEST = Duration.ofDays(7);

  /** Null where the text is no duration above zero and up to a week. */
  static @Nullable Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    long number = Long.parseLong(matcher.group(1));
    Duration duration =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          default -> Duration.ofHours(number);
        };
    return duration.isZero() || duration.compareTo(LONGEST) > 0 ? null : duration;
  }

  /** In the largest unit that is exact. */
  static String show(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds % 60 != 0) {
      return seconds + "s";
    }
    return seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds / 60 + "m";
  }

  /** Bytes; k, m and g are powers of 1024, as the engine has them. Null where it is no size. */
  static @Nullable Long size(String text) {
    Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return null;
    }
    long factor =
        switch (matcher.group(2)) {
          case "k" -> 1L << 10;
          case "m" -> 1L << 20;
          case "g" -> 1L << 30;
          default -> 1;
        };
    long number = Long.parseLong(matcher.group(1));
    return number == 0 || number > Long.MAX_VALUE / factor ? null : number * factor;
  }
}
