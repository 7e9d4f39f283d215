package org.tpubootd.env;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The text of {@code /etc/environment}: a block of ours between two comment lines, and what people
 * have around it. Held as ISO 8859-1, so that every byte of theirs stays what it is.
 *
 * @param before all lines before our block
 * @param after all lines after it; where there is no block yet the whole file, since the block goes
 *     to the top (RATIONALE.md tells why)
 * @param byHand the lines, counted from 1, in which people set a variable
 * @param joined the line before our block that would take our first variable for its own end, as it
 *     ends with a backslash; 0 where there is none
 */
record EnvironmentText(String before, String after, Map<String, List<Integer>> byHand, int joined) {

  private static final String BEGIN = "# BEGIN tpu-bootd";
  private static final String END = "# END tpu-bootd";
  private static final String BEGIN_LINE =
      BEGIN + ": set by files.environment in /etc/tpu-bootd/config.yaml; edits in here are lost\n";
  private static final String END_LINE = END + "\n";

  /** What pam_env takes for a setting (or, with no "=", for a removal) of a variable. */
  private static final Pattern SETTING =
      Pattern.compile("(?:export[ \t]+)?([A-Za-z0-9_]+)[ \t]*(?:[=#\r\n].*)?", Pattern.DOTALL);

  /** Our block has lost a comment line, or there are two blocks. */
  static final class DamagedException extends Exception {
    private static final long serialVersionUID = 1;

    DamagedException(String message) {
      super(message);
    }
  }

  static EnvironmentText read(byte[] bytes) throws DamagedException {
    return new Reader().read(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  /** The file with these lines as our block; without any block where there are none. */
  byte[] with(List<String> lines) {
    var text = new StringBuilder(before);
    if (!lines.isEmpty()) {
      text.append(BEGIN_LINE);
      for (String line : lines) {
        byte[] utf8 = line.getBytes(StandardCharsets.UTF_8);
        text.append(new String(utf8, StandardCharsets.ISO_8859_1)).append('\n');
      }
      text.append(END_LINE);
    }
    return text.append(after).toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Goes through the lines as Linux-PAM's _assemble_line() does (modules/pam_env/pam_env.c). */
  private static final class Reader {

    private final StringBuilder before = new StringBuilder();
    private final StringBuilder after = new StringBuilder();
    private final Map<String, List<Integer>> byHand = new LinkedHashMap<>();
    private int begin;
    private int end;
    private int joined;

    /** The line that the present one continues, by a backslash at its end; 0 for none. */
    private int continued;

    EnvironmentText read(String text) throws DamagedException {
      int number = 0;
      for (String line : text.isEmpty() ? new String[0] : text.split("(?<=\n)")) {
        number++;
        String start = line.replaceFirst("^[ \t]+", "");
        if (isMarker(start, BEGIN)) {
          begin(number);
        } else if (isMarker(start, END)) {
          end(number);
        } else if (begin == 0 || end > 0) {
          (begin == 0 ? before : after).append(line);
          note(start, number);
        }
      }
      if (begin > 0 && end == 0) {
        throw new DamagedException(
            "/etc/environment: the block that begins in line %d (%s) has no end (%s)"
                .formatted(begin, BEGIN, END));
      }
      return begin == 0
          ? new EnvironmentText("", before.toString(), byHand, 0)
          : new EnvironmentText(before.toString(), after.toString(), byHand, joined);
    }

    private static boolean isMarker(String line, String marker) {
      return line.startsWith(marker)
          && (line.length() == marker.length()
              || ": \t\r\n".indexOf(line.charAt(marker.length())) >= 0);
    }

    private void begin(int number) throws DamagedException {
      if (begin > 0) {
        throw new DamagedException(
            "/etc/environment: a block of tpu-bootd begins in line %d and again in line %d"
                .formatted(begin, number));
      }
      begin = number;
      joined = continued;
    }

    private void end(int number) throws DamagedException {
      if (begin == 0 || end > 0) {
        throw new DamagedException(
            "/etc/environment: line %d ends a block of tpu-bootd that does not begin"
                .formatted(number));
      }
      end = number;
      continued = 0; // our own last line ends with no backslash
    }

    private void note(String start, int number) {
      if (start.isBlank() || start.startsWith("#")) {
        return; // neither ends a continuation
      }
      var setting = SETTING.matcher(start);
      if (continued == 0 && setting.matches()) {
        byHand.computeIfAbsent(setting.group(1), _ -> new ArrayList<>()).add(number);
      }
      boolean goesOn = !start.contains("#") && start.replaceFirst("[ \t\n]+$", "").endsWith("\\");
      continued = goesOn ? number : 0;
    }
  }
}
