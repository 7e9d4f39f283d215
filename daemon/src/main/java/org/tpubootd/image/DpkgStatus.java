package org.tpubootd.image;

import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What dpkg has recorded of a package.
 *
 * @param status in dpkg's three words: {@code install ok installed}
 */
record DpkgStatus(String status, String version) {

  private static final String FILE = "/var/lib/dpkg/status";

  /** Empty where there is no such package, or no dpkg. */
  static Optional<DpkgStatus> of(Tree tree, String name) throws IOException {
    for (String paragraph : tree.text(FILE).orElse("").split("\n\n+")) {
      if (field(paragraph, "Package").filter(name::equals).isPresent()) {
        String status = field(paragraph, "Status").orElse("");
        // One that was removed and not purged is no more there.
        return status.endsWith("config-files") || status.endsWith("not-installed")
            ? Optional.empty()
            : Optional.of(new DpkgStatus(status, field(paragraph, "Version").orElse("?")));
      }
    }
    return Optional.empty();
  }

  boolean isComplete() {
    return status.endsWith(" installed");
  }

  private static Optional<String> field(String paragraph, String name) {
    Matcher line =
        Pattern.compile("^" + name + ": *(.*?) *$", Pattern.MULTILINE).matcher(paragraph);
    return line.find() ? Optional.of(line.group(1)) : Optional.empty();
  }
}
