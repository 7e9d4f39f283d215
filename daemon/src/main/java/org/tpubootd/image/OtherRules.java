package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What else in the tree binds TPUs or writes the same files: of Google's page, or by hand. */
final class OtherRules implements Check {

  private static final String OURS = "/usr/lib/udev/rules.d/60-tpu-bootd.rules";

  /** Starts a program, or sets the driver, for functions of Google's or for vfio. */
  private static final Pattern BINDS =
      Pattern.compile(
          "(?=\\s*[^#\\s])(?=.*(?i:0x1ae0|vfio|tpu)).*"
              + "(\\bRUN(\\{\\w+\\})?\\s*[+:]?=|driver_override).*");

  /** The page's own scripts, which append to files at every run. */
  private static final List<String> SCRIPTS =
      List.of("/var/scripts/configure-env-vars.sh", "/var/scripts/configure-gcs-timeouts.sh");

  private static final String BIND_SCRIPT = "/lib/udev/bind_to_vfio_pci.sh";

  private final Tree tree;

  OtherRules(Tree tree) {
    this.tree = tree;
  }

  @Override
  public String name() {
    return "other scripts";
  }

  @Override
  public List<Result> look() throws IOException {
    var results = new ArrayList<Result>();
    for (String file : Layers.of(tree, "udev/rules.d", ".rules")) {
      if (!file.equals(OURS) && binds(file)) {
        results.add(
            Result.warning(
                name(),
                file + " runs a program for PCI functions of Google's or for vfio",
                "remove it: the daemon binds TPUs"));
      }
    }
    if (tree.exists(BIND_SCRIPT)) {
      results.add(
          Result.warning(
              name(),
              BIND_SCRIPT + " of Google's page is there",
              "remove it: tpu-bootd does its work"));
    }
    for (String script : SCRIPTS) {
      if (tree.exists(script)) {
        results.add(
            Result.warning(
                name(),
                script + " of Google's page is there; it appends to /etc/environment",
                "remove it and what calls it: tpu-bootd does its work"));
      }
    }
    return results.isEmpty()
        ? List.of(Result.ok(name(), "nothing else binds TPUs or writes our files"))
        : results;
  }

  private boolean binds(String file) throws IOException {
    // A backslash at its end joins a line to the next.
    String text = tree.text(file).orElse("").replaceAll("\\\\\r?\n", " ");
    return text.lines().anyMatch(line -> BINDS.matcher(line).matches());
  }
}
