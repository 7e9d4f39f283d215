package org.tpubootd.env;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A line of {@code /etc/environment} as its reader takes it: Linux-PAM's modules/pam_env/pam_env.c,
 * _parse_env_file() and _assemble_line(). A "#" begins a comment even in quotes; a backslash at the
 * end joins the next line; quotes around a value are taken off, and those inside it stay.
 */
final class PamLine {

  private static final Pattern BARE = Pattern.compile("[A-Za-z0-9_./:,@%+=~^-]*");

  /** BUF_SIZE of older releases is 1024, with the newline and a NUL: the rest is read as a line. */
  private static final int LONGEST = 1022;

  private PamLine() {}

  /** Why pam_env cannot hold the variable, as a clause; empty where it can. */
  static Optional<String> refusal(String key, String value) {
    if (!TpuEnvParser.NAME.matcher(key).matches()) {
      return Optional.of("it is no name for a variable");
    }
    if (value.contains("#")) {
      return Optional.of("pam_env takes # for the start of a comment, even in quotes");
    }
    if (value.contains("\n")) {
      return Optional.of("pam_env reads one line for each variable");
    }
    if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7F)) {
      return Optional.of("its value has a control character");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
      return Optional.of("its value holds half a character (a lone surrogate)");
    }
    if (of(key, value).getBytes(StandardCharsets.UTF_8).length > LONGEST) {
      return Optional.of("pam_env of older systems reads no more than 1,022 bytes of a line");
    }
    return Optional.empty();
  }

  /**
   * The line, without its end. Where it needs quotes they are single ones if they can be: pam_env
   * takes either off, and what else may read the file acts on less in them.
   */
  static String of(String key, String value) {
    if (BARE.matcher(value).matches()) {
      return key + "=" + value;
    }
    char quote = value.contains("'") ? '"' : '\'';
    return key + "=" + quote + value + quote;
  }
}
