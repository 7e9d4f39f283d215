package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What pam_limits gives to sessions: limits.conf, then limits.d in the order of names, the last
 * line for a user or for "*" deciding (modules/pam_limits/pam_limits.c of Linux-PAM).
 */
final class SessionLimits implements Check {

  private static final String MAIN = "/etc/security/limits.conf";
  private static final String DROP_INS = "/etc/security/limits.d";

  /** As Google's page has it. A line for "*" does not reach root. */
  private static final List<String> USERS = List.of("*", "root");

  private static final Map<String, Long> WANTED =
      Map.of("memlock", Long.MAX_VALUE, "nofile", 100_000L);

  private final Tree tree;

  SessionLimits(Tree tree) {
    this.tree = tree;
  }

  /** What the last line said, and where. */
  private record Setting(String value, String where) {
    long number() {
      return switch (value) {
        case "unlimited", "infinity", "-1" -> Long.MAX_VALUE;
        default -> value.matches("\\d{1,18}") ? Long.parseLong(value) : 0;
      };
    }
  }

  @Override
  public String name() {
    return "session limits";
  }

  @Override
  public List<Result> look() throws IOException {
    var settings = new HashMap<String, Setting>();
    read(MAIN, settings);
    for (String name : tree.names(DROP_INS, ".conf")) {
      read(DROP_INS + "/" + name, settings);
    }
    var unset = new ArrayList<String>();
    var low = new LinkedHashMap<String, Result>();
    for (String user : USERS) {
      for (String item : List.of("memlock", "nofile")) {
        for (String type : List.of("soft", "hard")) {
          Setting setting = settings.get(key(user, type, item));
          if (setting == null) {
            unset.add("%s %s of %s".formatted(type, item, user));
          } else if (setting.number() < WANTED.getOrDefault(item, 0L)) {
            // One line may set both the soft limit and the hard one.
            low.putIfAbsent(setting.where(), low(user, item, setting));
          }
        }
      }
    }
    var results = new ArrayList<>(low.values());
    if (!unset.isEmpty()) {
      results.add(
          Result.warning(
              name(),
              "no line sets " + Words.first(unset),
              "put %s/60-tpu-bootd.conf of the package there again".formatted(DROP_INS)));
    }
    return results.isEmpty()
        ? List.of(Result.ok(name(), "locked memory and open files are as TPU programs need them"))
        : results;
  }

  private Result low(String user, String item, Setting setting) {
    long wanted = WANTED.getOrDefault(item, 0L);
    return Result.warning(
        name(),
        "%s sets %s of %s to %s".formatted(setting.where(), item, user, setting.value()),
        "take that line out, or set it to " + (wanted == Long.MAX_VALUE ? "unlimited" : wanted));
  }

  private void read(String file, Map<String, Setting> settings) throws IOException {
    int number = 0;
    for (String line : tree.lines(file)) {
      number++;
      String[] words = line.replaceFirst("#.*", "").strip().split("\\s+");
      if (words.length != 4) {
        continue;
      }
      var setting = new Setting(words[3], "%s:%d".formatted(file, number));
      for (String type : words[1].equals("-") ? List.of("soft", "hard") : List.of(words[1])) {
        settings.put(key(words[0], type, words[2]), setting);
      }
    }
  }

  private static String key(String user, String type, String item) {
    return user + " " + type + " " + item;
  }
}
