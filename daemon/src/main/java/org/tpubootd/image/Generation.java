package org.tpubootd.image;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tpubootd.host.KernelArguments;

/**
 * The TPU generation that the image says it is for.
 *
 * @param word as in the file; {@code any} where it says nothing
 */
record Generation(String word) {

  static final String FILE = "/etc/default/tpu-bootd";

  private static final String ANY = "any";
  private static final List<String> KNOWN = List.of(ANY, "v5e", "v5p", "v6e", "tpu7x");
  private static final Pattern SETTING =
      Pattern.compile("^[ \t]*(?:export +)?TPU_GENERATION=[\"']?([^\"'\\s#;]*)", Pattern.MULTILINE);

  static Generation of(Tree tree) throws IOException {
    Matcher setting = SETTING.matcher(tree.text(FILE).orElse(""));
    String word = ANY;
    while (setting.find()) {
      word = setting.group(1).isEmpty() ? ANY : setting.group(1);
    }
    return new Generation(word);
  }

  boolean isKnown() {
    return KNOWN.contains(word);
  }

  boolean needsIntelIommu() {
    return word.equals(ANY) || KernelArguments.SCALABLE_MODE.contains(word);
  }
}
