package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether the system is one that Google's page was checked on: to know, and not to judge. */
final class OperatingSystem implements Check {

  /** Of Google's own TPU images: families ubuntu-accel-2204 and ubuntu-accel-2404. */
  private static final List<String> CERTIFIED = List.of("22.04", "24.04");

  private static final List<String> GCLOUD =
      List.of("/usr/bin/gcloud", "/snap/bin/gcloud", "/usr/local/bin/gcloud");

  private final Tree tree;

  OperatingSystem(Tree tree) {
    this.tree = tree;
  }

  @Override
  public String name() {
    return "system";
  }

  @Override
  public List<Result> look() throws IOException {
    String release = tree.text("/etc/os-release").orElse("");
    var notes = new ArrayList<String>();
    if (!field(release, "ID").equals("ubuntu")
        || !CERTIFIED.contains(field(release, "VERSION_ID"))) {
      notes.add("Google has checked its page on its own images of Ubuntu 22.04 and 24.04 only");
    }
    if (!tree.exists("/usr/bin/python3")) {
      notes.add("no python3: Google's page asks for it, tpu-bootd does not need it");
    }
    if (!hasGcloud()) {
      notes.add("no gcloud: Google's page asks for it, tpu-bootd does not need it");
    }
    String name = field(release, "PRETTY_NAME");
    return List.of(
        Result.ok(name(), name.isEmpty() ? "of an unknown kind" : name).withNotes(notes));
  }

  private boolean hasGcloud() throws IOException {
    for (String program : GCLOUD) {
      if (tree.isListed(program)) {
        return true;
      }
    }
    return false;
  }

  private static String field(String release, String name) {
    Matcher line =
        Pattern.compile("^" + name + "=[\"']?(.*?)[\"']?$", Pattern.MULTILINE).matcher(release);
    return line.find() ? line.group(1) : "";
  }
}
