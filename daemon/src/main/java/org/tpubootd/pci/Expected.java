package org.tpubootd.pci;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code tpu-env} promises of this host's hardware.
 *
 * @param generation as the table of generations calls it: v5e, tpu7x
 * @param chipsPerHost chips of one host; empty where tpu-env does not tell (v2 and v3 have no
 *     bounds)
 */
public record Expected(Optional<String> generation, Optional<Integer> chipsPerHost) {

  /** Of a VM without tpu-env. */
  public static final Expected NOTHING = new Expected(Optional.empty(), Optional.empty());

  /** {@code v4-256}, {@code v5litepod-16}, {@code v7x-16} on Compute Engine, {@code tpu7x-16}. */
  private static final Pattern ACCELERATOR_TYPE =
      Pattern.compile("(?:tpu-?)?v?([0-9]+[a-z]*)-[0-9]+", Pattern.CASE_INSENSITIVE);

  private static final Pattern BOUNDS = Pattern.compile("([0-9]{1,4}),([0-9]{1,4}),([0-9]{1,4})");

  /**
   * Reads the two values as tpu-env has them; one that is not understood counts as not told.
   *
   * @param acceleratorType such as {@code v5litepod-16}: {@code ACCELERATOR_TYPE} of the Cloud TPU
   *     API, {@code TPU_ACCELERATOR_TYPE} of Compute Engine
   * @param chipsPerHostBounds {@code CHIPS_PER_HOST_BOUNDS}, such as {@code 2,2,1}. The number in
   *     the accelerator type does not tell: a v6e-8 is one host of 8 chips or two of 4.
   */
  public static Expected from(
      Optional<String> acceleratorType, Optional<String> chipsPerHostBounds) {
    return new Expected(
        acceleratorType.flatMap(Expected::generation), chipsPerHostBounds.flatMap(Expected::chips));
  }

  private static Optional<String> generation(String acceleratorType) {
    Matcher matcher = ACCELERATOR_TYPE.matcher(acceleratorType.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String name = matcher.group(1).toLowerCase(Locale.ROOT);
    return Optional.of(
        switch (name) {
          case "5litepod", "5lite" -> "v5e";
          case "7x", "7" -> "tpu7x";
          default -> "v" + name;
        });
  }

  private static Optional<Integer> chips(String bounds) {
    Matcher matcher = BOUNDS.matcher(bounds.replace(" ", ""));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long product =
        Long.parseLong(matcher.group(1))
            * Long.parseLong(matcher.group(2))
            * Long.parseLong(matcher.group(3));
    return product == 0 || product > Integer.MAX_VALUE
        ? Optional.empty()
        : Optional.of((int) product);
  }

  /** Whether anything is promised at all. */
  boolean promisesTpu() {
    return generation.isPresent() || chipsPerHost.isPresent();
  }
}
