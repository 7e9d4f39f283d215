package org.tpubootd.pci;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.tpubootd.config.HostRoot;

/** Loads a module into the running kernel. */
@FunctionalInterface
public interface ModuleLoader {

  /**
   * Returns when the module is loaded.
   *
   * @throws IOException where it is not; the message is a sentence for a person
   */
  void load(String module) throws IOException, InterruptedException;

  /**
   * The machine's {@code modprobe}. Under another root there is no kernel to load anything into:
   * there, each load fails and says so.
   *
   * @param limit for each run; then it is killed, but not when the daemon ends meanwhile
   */
  static ModuleLoader modprobe(HostRoot root, Duration limit) {
    if (!root.equals(HostRoot.MACHINE)) {
      return module -> {
        throw new IOException(
            "modprobe %s was not run: %s is not the machine's own root"
                .formatted(module, root.directory()));
      };
    }
    return new Modprobe(List.of("modprobe", "--"), limit);
  }
}
