package org.tpubootd.env;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads /etc/environment as Linux-PAM 1.3 to 1.5 does: {@code _assemble_line()} and {@code
 * _parse_env_file()} of modules/pam_env/pam_env.c, with their buffer of 1,024 bytes. Written after
 * reading them, in their order of steps.
 */
final class PamEnvGrammar {

  private static final int BUF_SIZE = 1024;

  private final String text;
  private int position;

  private PamEnvGrammar(String text) {
    this.text = text;
  }

  /** The environment after the file; text in it is UTF-8. */
  static Map<String, String> read(byte[] file) {
    return new PamEnvGrammar(new String(file, StandardCharsets.ISO_8859_1)).read();
  }

  private Map<String, String> read() {
    var environment = new LinkedHashMap<String, String>();
    for (String line = assembleLine(); line != null; line = assembleLine()) {
      String key = line.replaceFirst("^[ \n\t]+", "");
      if (key.startsWith("#")) {
        continue;
      }
      if (key.startsWith("export ")) {
        key = key.substring(7);
      }
      key = key.split("[\n#]", 2)[0];
      if (key.startsWith("=")) {
        continue;
      }
      int equals = key.indexOf('=');
      String name = equals < 0 ? key : key.substring(0, equals);
      if (!name.matches("[A-Za-z0-9_]*")) {
        continue;
      }
      if (equals < 0) {
        environment.remove(name);
        continue;
      }
      byte[] value = unquoted(key.substring(equals + 1)).getBytes(StandardCharsets.ISO_8859_1);
      environment.put(name, new String(value, StandardCharsets.UTF_8));
    }
    return environment;
  }

  /** Quotes go where the value begins with one: the first, and one that is the last character. */
  private static String unquoted(String value) {
    if (!value.startsWith("\"") && !value.startsWith("'")) {
      return value;
    }
    var result = new StringBuilder();
    for (int i = 1; i < value.length(); i++) {
      boolean quote = value.charAt(i) == '"' || value.charAt(i) == '\'';
      if (!quote || i + 1 < value.length()) {
        result.append(value.charAt(i));
      }
    }
    return result.toString();
  }

  /** Null at the end of the file and at what _assemble_line() gives up on. */
  private @Nullable String assembleLine() {
    var line = new StringBuilder();
    while (line.length() < BUF_SIZE) {
      String piece = fgets(BUF_SIZE - line.length());
      if (piece == null) {
        return null;
      }
      String start = piece.replaceFirst("^[ \n\t]+", "");
      if (start.isEmpty() || start.startsWith("#")) {
        continue;
      }
      if (start.contains("#")) {
        return line.append(start, 0, start.indexOf('#')).toString();
      }
      String end = start.replaceFirst("[ \t\n]+$", "");
      if (!end.endsWith("\\")) {
        return line.append(start).toString();
      }
      line.append(end, 0, end.length() - 1);
    }
    return null;
  }

  private @Nullable String fgets(int size) {
    if (position >= text.length()) {
      return null;
    }
    int newline = text.indexOf('\n', position);
    int end = newline < 0 ? text.length() : newline + 1;
    end = Math.min(end, position + size - 1);
    String piece = text.substring(position, end);
    position = end;
    return piece;
  }
}
