package org.tpubootd.image;

import java.util.List;

/** How lists are told in one line. */
final class Words {

  private Words() {}

  /** The first of them, and how many more there are. */
  static String first(List<String> all) {
    return all.size() == 1
        ? all.getFirst()
        : "%s (and %d more)".formatted(all.getFirst(), all.size() - 1);
  }
}
