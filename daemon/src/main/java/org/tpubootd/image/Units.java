package org.tpubootd.image;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Units of systemd, as files tell of them. */
final class Units {

  /** In the order in which systemd looks: the first that has the unit decides. */
  private static final List<String> DIRECTORIES =
      List.of(
          "/etc/systemd/system",
          "/usr/local/lib/systemd/system",
          "/usr/lib/systemd/system",
          "/lib/systemd/system");

  private static final List<String> PULLS = List.of(".wants", ".requires", ".upholds");

  private final Tree tree;

  Units(Tree tree) {
    this.tree = tree;
  }

  /** The file that systemd takes the unit from, masked or not. */
  Optional<String> file(String unit) throws IOException {
    for (String directory : DIRECTORIES) {
      String path = directory + "/" + unit;
      if (tree.isListed(path)) {
        return Optional.of(path);
      }
    }
    return Optional.empty();
  }

  /** Whether nobody can start it: its file is a link to nothing, or empty. */
  boolean isMasked(String unit) throws IOException {
    Optional<String> file = file(unit);
    if (file.isEmpty()) {
      return false;
    }
    return tree.link(file.get()).filter("/dev/null"::equals).isPresent()
        || tree.text(file.get()).filter(String::isEmpty).isPresent();
  }

  /** The unit, such as multi-user.target, that pulls it in; empty where it is enabled nowhere. */
  Optional<String> enabledBy(String unit) throws IOException {
    for (String directory : DIRECTORIES) {
      for (String pull : PULLS) {
        for (String name : tree.names(directory, pull)) {
          String link = directory + "/" + name + "/" + unit;
          if (tree.isListed(link)) {
            return Optional.of(name.substring(0, name.length() - pull.length()));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Files that change it. */
  List<String> dropIns(String unit) throws IOException {
    return Layers.of(tree, "systemd/system/" + unit + ".d", ".conf");
  }
}
