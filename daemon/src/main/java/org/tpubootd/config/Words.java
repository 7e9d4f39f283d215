package org.tpubootd.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what a person meant to type. */
final class Words {

  private Words() {}

  /** The known word that is nearest to the given one, if any is near enough to be meant. */
  static Optional<String> nearest(String word, Collection<String> known) {
    int limit = Math.max(2, word.length() / 3);
    return known.stream()
        .filter(candidate -> distance(word, candidate) <= limit)
        .min(Comparator.comparingInt(candidate -> distance(word, candidate)));
  }

  /** Levenshtein's distance: letters added, dropped or changed. */
  static int distance(String a, String b) {
    int[] above = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return above[b.length()];
  }
}
