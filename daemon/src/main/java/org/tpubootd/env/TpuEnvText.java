package org.tpubootd.env;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The file tpu-env: {@code KEY="VALUE"} lines, which mean the same to bash and to systemd, and to
 * {@code cut -d'"' -f2} as far as it can be. Within double quotes both take a backslash off before
 * exactly these four: {@code " \ $ `} (bash(1), QUOTING; systemd, src/basic/env-file.c and
 * SHELL_NEED_ESCAPE), so these are the four that get one.
 *
 * @param text the whole file
 * @param keys those in the file
 * @param notes which key which reader cannot hold, a line each
 */
record TpuEnvText(String text, List<String> keys, List<String> notes) {

  private static final Pattern ESCAPED = Pattern.compile("[\"\\\\$`]");
  private static final Pattern CONTROL = Pattern.compile("[\\x01-\\x08\\x0B-\\x1F\\x7F]");

  /** What bash lets nobody set: a real tpu-env has UID, and it stays in the file for the others. */
  private static final Set<String> READ_ONLY_IN_BASH =
      Set.of("BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID");

  /**
   * MAX_ARG_STRLEN of the kernel: no longer KEY=VALUE can be handed to a program, and one that is
   * exported keeps every program from being started. The final NUL counts.
   */
  private static final int LONGEST = 128 * 1024 - 1;

  TpuEnvText {
    keys = List.copyOf(keys);
    notes = List.copyOf(notes);
  }

  static TpuEnvText of(TpuEnv env) {
    var text = new StringBuilder();
    var keys = new ArrayList<String>();
    var notes = new ArrayList<String>();
    env.values()
        .forEach((key, value) -> {
          if (heldByAny(key, value, notes)) {
            noteReaders(key, value, notes);
            keys.add(key);
            text.append(key)
                .append("=\"")
                .append(ESCAPED.matcher(value).replaceAll("\\\\$0"))
                .append("\"\n");
          }
        });
    return new TpuEnvText(text.toString(), keys, notes);
  }

  /** Whether the value may stand in the file without harm to the other values. */
  private static boolean heldByAny(String key, String value, List<String> notes) {
    if (value.codePoints().anyMatch(TpuEnvText::isNoncharacter)) {
      notes.add(
          key + " is left out: it holds a character for which systemd refuses the whole file");
      return false;
    }
    int length = (key + "=" + value).getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST) {
      notes.add(
          "%s is left out: with %d bytes it is longer than the kernel hands to any program"
              .formatted(key, length));
      return false;
    }
    return true;
  }

  private static void noteReaders(String key, String value, List<String> notes) {
    if (READ_ONLY_IN_BASH.contains(key)) {
      notes.add(
          key + ": bash keeps its own value, which is read-only; under set -e, source ends there");
    }
    if (value.contains("\n")) {
      notes.add(key + ": cut reads only the first of its lines");
    }
    if (value.contains("\"")) {
      notes.add(key + ": cut reads only what stands before its first quote");
    } else if (ESCAPED.matcher(value).find()) {
      notes.add(key + ": cut reads it with the backslashes that keep bash from acting on it");
    }
    if (CONTROL.matcher(value).find()) {
      notes.add(key + ": older releases of systemd leave it out for its control character");
    }
  }

  /** What utf8_is_valid() of systemd refuses although it is UTF-8 (src/basic/utf8.c). */
  private static boolean isNoncharacter(int codePoint) {
    return (codePoint & 0xFFFE) == 0xFFFE || (codePoint >= 0xFDD0 && codePoint <= 0xFDEF);
  }
}
