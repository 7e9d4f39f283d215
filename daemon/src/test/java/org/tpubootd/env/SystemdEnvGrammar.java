package org.tpubootd.env;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads an EnvironmentFile as systemd does: the states of {@code parse_env_file_internal()} in
 * src/basic/env-file.c and the checks of {@code utf8_is_valid()}, written after reading them.
 * Values with control characters are kept, as releases of the last years do.
 */
final class SystemdEnvGrammar {

  private enum State {
    PRE_KEY,
    KEY,
    PRE_VALUE,
    VALUE,
    VALUE_ESCAPE,
    SINGLE_QUOTE,
    DOUBLE_QUOTE,
    DOUBLE_QUOTE_ESCAPE,
    COMMENT
  }

  private final Map<String, String> environment = new LinkedHashMap<>();
  private StringBuilder key = new StringBuilder();
  private StringBuilder value = new StringBuilder();
  private int keep; // of the value, whatever white space is at its end

  private SystemdEnvGrammar() {}

  static Map<String, String> read(byte[] file) {
    var grammar = new SystemdEnvGrammar();
    grammar.parse(new String(file, StandardCharsets.UTF_8));
    return grammar.environment;
  }

  private void parse(String text) {
    State state = State.PRE_KEY;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean newline = c == '\n' || c == '\r';
      boolean space = newline || c == ' ' || c == '\t';
      state =
          switch (state) {
            case PRE_KEY -> {
              if (c == '#' || c == ';') {
                yield State.COMMENT;
              }
              if (space) {
                yield State.PRE_KEY;
              }
              key.append(c);
              yield State.KEY;
            }
            case KEY -> {
              if (newline) {
                key = new StringBuilder();
                yield State.PRE_KEY;
              }
              if (c == '=') {
                yield State.PRE_VALUE;
              }
              key.append(c);
              yield State.KEY;
            }
            case PRE_VALUE -> {
              if (newline) {
                push();
                yield State.PRE_KEY;
              }
              if (c == '\'') {
                yield State.SINGLE_QUOTE;
              }
              if (c == '"') {
                yield State.DOUBLE_QUOTE;
              }
              if (c == '\\') {
                yield State.VALUE_ESCAPE;
              }
              if (!space) {
                append(c);
                yield State.VALUE;
              }
              yield State.PRE_VALUE;
            }
            case VALUE -> {
              if (newline) {
                push();
                yield State.PRE_KEY;
              }
              if (c == '\\') {
                yield State.VALUE_ESCAPE;
              }
              value.append(c);
              keep = space ? keep : value.length();
              yield State.VALUE;
            }
            case VALUE_ESCAPE -> {
              if (!newline) {
                append(c);
              }
              yield State.VALUE;
            }
            case SINGLE_QUOTE -> {
              if (c == '\'') {
                yield State.PRE_VALUE;
              }
              append(c);
              yield State.SINGLE_QUOTE;
            }
            case DOUBLE_QUOTE -> {
              if (c == '"') {
                yield State.PRE_VALUE;
              }
              if (c == '\\') {
                yield State.DOUBLE_QUOTE_ESCAPE;
              }
              append(c);
              yield State.DOUBLE_QUOTE;
            }
            case DOUBLE_QUOTE_ESCAPE -> {
              if ("\"\\`$".indexOf(c) >= 0) {
                append(c);
              } else if (c != '\n') {
                append('\\');
                append(c);
              }
              yield State.DOUBLE_QUOTE;
            }
            case COMMENT -> newline ? State.PRE_KEY : State.COMMENT;
          };
    }
    if (state != State.PRE_KEY && state != State.KEY && state != State.COMMENT) {
      push();
    }
  }

  private void append(char c) {
    value.append(c);
    keep = value.length();
  }

  private void push() {
    String text = value.substring(0, keep);
    if (text.codePoints().anyMatch(c -> (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF))) {
      throw new IllegalArgumentException("invalid UTF-8 value for key " + key);
    }
    String name = key.toString().stripTrailing();
    if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
      environment.remove(name);
      environment.put(name, text);
    }
    key = new StringBuilder();
    value = new StringBuilder();
    keep = 0;
  }
}
