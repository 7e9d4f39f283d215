package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Directories of drop-in files as systemd, modprobe and udev read them: all files in the order of
 * their names, and of those with the same name only the one in the first directory.
 */
final class Layers {

  /** What an administrator writes goes before what runs, and that before what packages bring. */
  private static final List<String> PARENTS =
      List.of("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib");

  private Layers() {}

  /**
   * The paths of the files that count.
   *
   * @param directory below each of /etc, /usr/lib and the others, such as {@code modprobe.d}
   */
  static List<String> of(Tree tree, String directory, String ending) throws IOException {
    var byName = new TreeMap<String, String>();
    for (String parent : PARENTS) {
      String whole = parent + "/" + directory;
      for (String name : tree.names(whole, ending)) {
        byName.putIfAbsent(name, whole + "/" + name);
      }
    }
    return new ArrayList<>(byName.values());
  }

  /** The file that is read in place of one below /usr/lib, which may be that one itself. */
  static String inPlaceOf(Tree tree, String path) throws IOException {
    String below = path.substring("/usr/lib".length());
    for (String parent : PARENTS) {
      if (tree.isListed(parent + below)) {
        return parent + below;
      }
    }
    return path;
  }
}
