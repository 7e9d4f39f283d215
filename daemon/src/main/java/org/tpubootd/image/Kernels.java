package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernels of a tree, by the modules that they have brought. */
final class Kernels {

  static final String DIRECTORY = "/lib/modules";

  private static final Pattern PIECE = Pattern.compile("\\d+|\\D+");

  private final Tree tree;

  Kernels(Tree tree) {
    this.tree = tree;
  }

  /** Their versions, the newest first, which is the one that boot loaders begin with. */
  List<String> versions() throws IOException {
    var versions = new ArrayList<String>();
    for (String name : tree.names(DIRECTORY, "")) {
      // Removed kernels leave directories with a module of somebody's in them.
      boolean real =
          tree.isDirectory(DIRECTORY + "/" + name + "/kernel")
              || tree.exists(DIRECTORY + "/" + name + "/modules.builtin");
      if (real) {
        versions.add(name);
      }
    }
    versions.sort(((Comparator<String>) Kernels::compare).reversed());
    return versions;
  }

  /** Numbers count as numbers: 6.8.0-100 is newer than 6.8.0-99. */
  static int compare(String a, String b) {
    Matcher left = PIECE.matcher(a);
    Matcher right = PIECE.matcher(b);
    while (true) {
      boolean more = left.find();
      if (!right.find()) {
        return more ? 1 : 0;
      }
      if (!more) {
        return -1;
      }
      int order = comparePieces(left.group(), right.group());
      if (order != 0) {
        return order;
      }
    }
  }

  private static int comparePieces(String a, String b) {
    boolean numbers = Character.isDigit(a.charAt(0)) && Character.isDigit(b.charAt(0));
    if (!numbers) {
      return a.compareTo(b);
    }
    String x = a.replaceFirst("^0+", "");
    String y = b.replaceFirst("^0+", "");
    return x.length() == y.length() ? x.compareTo(y) : Integer.compare(x.length(), y.length());
  }

  /** Where a kernel has a module. */
  enum Has {
    BUILT_IN,
    MODULE,
    NOT,
    /** There is no list (modules.dep), so that modprobe finds nothing. */
    UNLISTED
  }

  /**
   * Looks for a module in a kernel's own lists, as modprobe does.
   *
   * @param module its name, with whichever of "-" and "_"
   */
  Has has(String version, String module) throws IOException {
    Pattern file =
        Pattern.compile("(^|.*/)" + module.replaceAll("[-_]", "[-_]") + "\\.ko(\\.[a-z0-9]+)?");
    String directory = DIRECTORY + "/" + version;
    if (tree.lines(directory + "/modules.builtin").stream()
        .anyMatch(line -> file.matcher(line).matches())) {
      return Has.BUILT_IN;
    }
    Optional<String> list = tree.text(directory + "/modules.dep");
    if (list.isEmpty()) {
      return Has.UNLISTED;
    }
    return list.get()
            .lines()
            .map(line -> line.split(":", 2)[0])
            .anyMatch(path -> file.matcher(path).matches())
        ? Has.MODULE
        : Has.NOT;
  }

  /** Whether a kernel was built with an option; false where that cannot be told. */
  boolean isBuiltWith(String version, String option) throws IOException {
    return tree.lines("/boot/config-" + version).contains(option + "=y")
        || tree.lines(DIRECTORY + "/" + version + "/config").contains(option + "=y");
  }
}
