package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What systemd gives to services, and to those of users: the last DefaultLimit line decides. */
final class ServiceLimits implements Check {

  private static final List<String> MANAGERS = List.of("system", "user");

  private static final Map<String, Long> WANTED =
      Map.of("DefaultLimitMEMLOCK", Long.MAX_VALUE, "DefaultLimitNOFILE", 100_000L);

  private static final Pattern LINE =
      Pattern.compile("\\s*(DefaultLimit(?:MEMLOCK|NOFILE))\\s*=\\s*(.*?)\\s*");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})([KMGT]?)");

  private final Tree tree;

  ServiceLimits(Tree tree) {
    this.tree = tree;
  }

  /** What the last line said, and where. */
  private record Setting(String value, String where) {}

  @Override
  public String name() {
    return "service limits";
  }

  @Override
  public List<Result> look() throws IOException {
    var results = new ArrayList<Result>();
    var unset = new ArrayList<String>();
    for (String manager : MANAGERS) {
      for (String key : List.of("DefaultLimitMEMLOCK", "DefaultLimitNOFILE")) {
        Optional<Setting> setting = last(manager, key);
        if (setting.isEmpty()) {
          unset.add("%s for %s services".formatted(key, manager));
        } else if (isLow(setting.get().value(), WANTED.getOrDefault(key, 0L))) {
          results.add(
              Result.warning(
                  name(),
                  "%s sets %s=%s".formatted(setting.get().where(), key, setting.get().value()),
                  "take that line out, or set it to "
                      + (key.endsWith("MEMLOCK") ? "infinity" : "100000:524288")));
        }
      }
    }
    if (!unset.isEmpty()) {
      results.add(
          Result.warning(
              name(),
              "no file sets " + Words.first(unset),
              "install the package again: 60-tpu-bootd.conf in /usr/lib/systemd/system.conf.d and"
                  + " user.conf.d sets them"));
    }
    return results.isEmpty()
        ? List.of(Result.ok(name(), "locked memory and open files are as TPU programs need them"))
        : results;
  }

  /** soft:hard, or one value for both. */
  private static boolean isLow(String value, long wanted) {
    return Arrays.stream(value.split(":", 2)).anyMatch(part -> number(part) < wanted);
  }

  private Optional<Setting> last(String manager, String key) throws IOException {
    var files = new ArrayList<String>();
    // The main file is a whole one: that in /etc goes in place of that of the distribution.
    String main = "/systemd/" + manager + ".conf";
    files.add(tree.exists("/etc" + main) ? "/etc" + main : "/usr/lib" + main);
    files.addAll(Layers.of(tree, "systemd/" + manager + ".conf.d", ".conf"));
    var last = Optional.<Setting>empty();
    for (String file : files) {
      int number = 0;
      for (String line : tree.lines(file)) {
        number++;
        Matcher setting = LINE.matcher(line);
        if (setting.matches() && setting.group(1).equals(key)) {
          last = Optional.of(new Setting(setting.group(2), file + ":" + number));
        }
      }
    }
    return last;
  }

  private static long number(String value) {
    if (value.equals("infinity")) {
      return Long.MAX_VALUE;
    }
    Matcher size = SIZE.matcher(value);
    if (!size.matches()) {
      return 0;
    }
    int shift = size.group(2).isEmpty() ? 0 : 10 * (1 + "KMGT".indexOf(size.group(2)));
    return Long.parseLong(size.group(1)) << shift;
  }
}
