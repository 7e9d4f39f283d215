package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What belongs to the machine that the image was made on, and to no VM that boots from it. */
final class Leftovers implements Check {

  private static final List<String> OF_METADATA =
      List.of("/home/tpu-runtime/tpu-env", "/etc/tpu/tpu-env");
  private static final String STATES = "/var/lib/tpu-bootd/containers";

  private final Tree tree;

  Leftovers(Tree tree) {
    this.tree = tree;
  }

  @Override
  public String name() {
    return "leftovers";
  }

  @Override
  public List<Result> look() throws IOException {
    var results = new ArrayList<Result>();
    for (String file : OF_METADATA) {
      if (tree.isListed(file)) {
        results.add(
            Result.warning(
                name(),
                file + " is of the VM that the image was made on",
                "rm %s; till the metadata server has answered, programs would read the wrong one"
                    .formatted(file)));
      }
    }
    List<String> states = tree.names(STATES, ".json");
    if (!states.isEmpty()) {
      results.add(
          Result.warning(
              name(),
              "%s has restarts of containers of the VM that the image was made on"
                  .formatted(STATES),
              "rm %s/*.json; else a first start may wait for no reason".formatted(STATES)));
    }
    return results.isEmpty()
        ? List.of(Result.ok(name(), "nothing of the machine that it was made on"))
        : results;
  }
}
