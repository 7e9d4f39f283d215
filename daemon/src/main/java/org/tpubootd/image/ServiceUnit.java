package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether systemd will start the daemon at boot. */
final class ServiceUnit implements Check {

  private static final String UNIT = "tpu-bootd.service";
  private static final String PACKAGED = "/usr/lib/systemd/system/" + UNIT;
  private static final List<String> SYSTEMD =
      List.of("/usr/lib/systemd/systemd", "/lib/systemd/systemd");

  private final Tree tree;
  private final Units units;

  ServiceUnit(Tree tree) {
    this.tree = tree;
    this.units = new Units(tree);
  }

  @Override
  public String name() {
    return "service";
  }

  @Override
  public List<Result> look() throws IOException {
    var results = new ArrayList<Result>();
    results.add(unit());
    if (!hasSystemd()) {
      results.add(
          Result.error(
              name(),
              "systemd is not in this tree: nothing starts tpu-bootd at boot",
              "install systemd, such as by apt install systemd-sysv"));
    }
    return results;
  }

  private Result unit() throws IOException {
    Optional<String> file = units.file(UNIT);
    if (file.isEmpty()) {
      return Result.error(name(), PACKAGED + " is missing", "install the package again");
    }
    if (units.isMasked(UNIT)) {
      return Result.error(name(), UNIT + " is masked by " + file.get(), "systemctl unmask " + UNIT);
    }
    Optional<String> puller = units.enabledBy(UNIT);
    if (puller.isEmpty()) {
      return Result.error(
          name(), UNIT + " is not enabled: no boot starts it", "systemctl enable " + UNIT);
    }
    var notes = new ArrayList<String>();
    if (!file.get().equals(PACKAGED) && tree.isListed(PACKAGED)) {
      notes.add(file.get() + " is used in place of the package's unit");
    }
    units.dropIns(UNIT).forEach(dropIn -> notes.add("the unit is changed by " + dropIn));
    return Result.ok(name(), "enabled by " + puller.get()).withNotes(notes);
  }

  private boolean hasSystemd() throws IOException {
    for (String program : SYSTEMD) {
      if (tree.isProgram(program)) {
        return true;
      }
    }
    return false;
  }
}
