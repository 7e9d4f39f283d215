package org.tpubootd.env;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An accelerator type such as {@code v4-256}.
 *
 * @param generation v4, v5litepod, tpu7x
 * @param number TensorCores of the whole slice, or its chips: it depends on the generation
 */
record AcceleratorType(String generation, long number) {

  private static final Pattern TEXT = Pattern.compile("([a-z0-9]{1,20})-([0-9]{1,9})");

  /** Two TensorCores a chip, and always four chips a host. */
  private static final Set<String> COUNTED_IN_CORES = Set.of("v2", "v3", "v4", "v5p", "tpu7x");

  private static final Set<String> COUNTED_IN_CHIPS = Set.of("v5litepod", "v5e", "v6e");

  static Optional<AcceleratorType> parse(String text) {
    var matcher = TEXT.matcher(text);
    return matcher.matches()
        ? Optional.of(
            new AcceleratorType(withTpu(matcher.group(1)), Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }

  /** Managed instance groups say v7x-16 where the variable of that meaning has tpu7x-16. */
  static String asVariable(String text) {
    return text.startsWith("v7x-") ? withTpu("v7x") + text.substring(3) : text;
  }

  private static String withTpu(String generation) {
    return generation.equals("v7x") ? "tpu7x" : generation;
  }

  /** Chips of the whole slice; empty for a generation that is not known here. */
  OptionalLong chips() {
    if (COUNTED_IN_CHIPS.contains(generation)) {
      return OptionalLong.of(number);
    }
    return COUNTED_IN_CORES.contains(generation) && number % 2 == 0
        ? OptionalLong.of(number / 2)
        : OptionalLong.empty();
  }

  boolean hasFourChipHostsOnly() {
    return COUNTED_IN_CORES.contains(generation);
  }
}
