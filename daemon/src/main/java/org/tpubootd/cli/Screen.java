package org.tpubootd.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.Console;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Where commands write: plain text of 80 columns, coloured only on a terminal, or JSON. */
final class Screen {

  static final int COLUMNS = 80;
  private static final int GREEN = 32;
  private static final int YELLOW = 33;
  private static final int RED = 31;
  private static final int GREY = 90;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final PrintWriter out;
  private final boolean colours;

  Screen(PrintWriter out, boolean colours) {
    this.out = out;
    this.colours = colours;
  }

  /** Standard output is a terminal, and the person has not asked for no colours. */
  static boolean colours() {
    return terminal() && System.getenv("NO_COLOR") == null;
  }

  /** Standard input and output are a terminal. */
  // Error Prone goes by JDK 22 to 24; the console of JDK 25 is null again without a terminal.
  @SuppressWarnings("SystemConsoleNull")
  static boolean terminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }

  void json(Object value) {
    try {
      line(JSON.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not a value for JSON: " + value, e);
    }
  }

  /** A text under an indent, broken between words so that it fits. */
  void wrapped(String firstIndent, String text, String otherIndent) {
    String indent = firstIndent;
    for (String row : wrap(text, COLUMNS - Math.max(firstIndent.length(), otherIndent.length()))) {
      line(indent + row);
      indent = otherIndent;
    }
  }

  static List<String> wrap(String text, int width) {
    var rows = new ArrayList<String>();
    var row = new StringBuilder();
    for (String word : text.strip().split("\\s+")) {
      if (!row.isEmpty() && row.length() + 1 + word.length() > width) {
        rows.add(row.toString());
        row.setLength(0);
      }
      row.append(row.isEmpty() ? "" : " ").append(word);
    }
    rows.add(row.toString());
    return rows;
  }

  /** The state's word, padded to the widest, coloured by how bad it is. */
  String state(String word) {
    String padded = "%-8s".formatted(word);
    if (!colours) {
      return padded;
    }
    int colour =
        switch (word) {
          case "ok" -> GREEN;
          case "waiting", "degraded", "warning" -> YELLOW;
          case "failed", "error" -> RED;
          default -> GREY;
        };
    return "\u001b[" + colour + "m" + padded + "\u001b[0m";
  }
}
