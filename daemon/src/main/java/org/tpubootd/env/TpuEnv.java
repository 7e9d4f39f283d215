package org.tpubootd.env;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The attribute tpu-env, read.
 *
 * @param values the literal text of each value, in the order in which the keys were received
 * @param notes what was left out or stood twice, a line each
 */
public record TpuEnv(Map<String, String> values, List<String> notes) {

  public TpuEnv {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    notes = List.copyOf(notes);
  }

  /**
   * Reads the attribute. YAML finds where values begin and end; it does not type them: {@code 010},
   * {@code false}, {@code 12:30:45} and {@code null} stay as they were sent.
   *
   * @throws BadTpuEnvException where the text is something else, such as an error page
   */
  public static TpuEnv parse(String text) throws BadTpuEnvException {
    return new TpuEnvParser().parse(text);
  }

  /** The value of a key, which may be empty text; empty where the key was not sent. */
  public Optional<String> value(String key) {
    return Optional.ofNullable(values.get(key));
  }
}
