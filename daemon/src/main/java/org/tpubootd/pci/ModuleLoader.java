package org.tpubootd.pci;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
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
   * @param limit for each run; then it is killed
   */
  static ModuleLoader modprobe(HostRoot root, Duration limit) {
    if (!root.equals(HostRoot.MACHINE)) {
      return module -> {
        throw new IOException(
            "modprobe %s was not run: %s is not the machine's own root"
                .formatted(module, root.directory()));
      };
    }
    return module -> run(module, limit);
  }

  private static void run(String module, Duration limit) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder("modprobe", "--", module).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException("modprobe cannot be run (package kmod): " + e.getMessage(), e);
    }
    try {
      process.getOutputStream().close();
      if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new IOException(
            "modprobe %s did not end within %d ms".formatted(module, limit.toMillis()));
      }
      if (process.exitValue() != 0) {
        // A few lines at most, which fit in the pipe; so reading after the end loses nothing.
        byte[] output = process.getInputStream().readNBytes(4096);
        throw new IOException(
            "modprobe %s ended with exit code %d: %s"
                .formatted(
                    module,
                    process.exitValue(),
                    new String(output, StandardCharsets.UTF_8).strip().replace('\n', ' ')));
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
