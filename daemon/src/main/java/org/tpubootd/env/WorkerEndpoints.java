package org.tpubootd.env;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The workers of a slice, in the order of their ids, as the attribute of that name lists them. */
final class WorkerEndpoints {

  static final String ATTRIBUTE = "worker-network-endpoints";

  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  private WorkerEndpoints() {}

  /**
   * Host names or addresses. The old form has {@code name:id:address} for each worker, where name
   * and id may be placeholders; the new one has bare names.
   *
   * @return empty where an entry has neither form
   */
  static Optional<List<String>> hosts(String text) {
    var hosts = new ArrayList<String>();
    for (String entry : text.strip().split(",", -1)) {
      String[] parts = entry.strip().split(":", -1);
      String host =
          switch (parts.length) {
            case 1 -> parts[0];
            case 3 -> parts[2];
            default -> "";
          };
      if (!HOST.matcher(host).matches()) {
        return Optional.empty();
      }
      hosts.add(host);
    }
    return Optional.of(hosts);
  }
}
