package org.tpubootd.env;

import java.util.Optional;
import java.util.regex.Pattern;

/** How far something goes in each of three dimensions: hosts in a slice, chips on a host. */
record Bounds(int x, int y, int z) {

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,5}),([0-9]{1,5}),([0-9]{1,5})");
  private static final Pattern TOPOLOGY =
      Pattern.compile("([0-9]{1,5})x([0-9]{1,5})(?:x([0-9]{1,5}))?");

  static final Bounds ONE = new Bounds(1, 1, 1);

  /** {@code 2,2,1}; empty for anything else. */
  static Optional<Bounds> parse(String text) {
    var matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return of(matcher.group(1), matcher.group(2), matcher.group(3));
  }

  /** {@code 4x4} or {@code 4x4x8}: the chips of a whole slice; empty for anything else. */
  static Optional<Bounds> parseTopology(String text) {
    var matcher = TOPOLOGY.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return of(
        matcher.group(1), matcher.group(2), matcher.group(3) == null ? "1" : matcher.group(3));
  }

  private static Optional<Bounds> of(String x, String y, String z) {
    var bounds = new Bounds(Integer.parseInt(x), Integer.parseInt(y), Integer.parseInt(z));
    return bounds.size() == 0 ? Optional.empty() : Optional.of(bounds);
  }

  /** How the chips of one host lie; the machine types have no other numbers than these. */
  static Optional<Bounds> chipsOfOneHost(long chips) {
    return switch ((int) Math.min(chips, 9)) {
      case 1 -> Optional.of(ONE);
      case 2 -> Optional.of(new Bounds(1, 2, 1));
      case 4 -> Optional.of(new Bounds(2, 2, 1));
      case 8 -> Optional.of(new Bounds(2, 4, 1));
      default -> Optional.empty();
    };
  }

  long size() {
    return (long) x * y * z;
  }

  /** Each dimension divided; empty where one does not come out even. */
  Optional<Bounds> dividedBy(Bounds other) {
    if (x % other.x != 0 || y % other.y != 0 || z % other.z != 0) {
      return Optional.empty();
    }
    return Optional.of(new Bounds(x / other.x, y / other.y, z / other.z));
  }

  @Override
  public String toString() {
    return x + "," + y + "," + z;
  }
}
