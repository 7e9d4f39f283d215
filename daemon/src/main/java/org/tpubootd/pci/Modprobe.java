package org.tpubootd.pci;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs modprobe. */
final class Modprobe implements ModuleLoader {

  private final List<String> command;
  private final Duration limit;

  /**
   * @param command to which the module's name is added
   * @param limit for each run; then it is killed
   */
  Modprobe(List<String> command, Duration limit) {
    this.command = List.copyOf(command);
    this.limit = limit;
  }

  /**
   * Where the daemon ends meanwhile, the program is left to end by itself: it may be half-way in
   * the kernel, and the unit does not kill it either.
   */
  @Override
  public void load(String module) throws IOException, InterruptedException {
    var whole = new ArrayList<String>(command);
    whole.add(module);
    Process process;
    try {
      process = new ProcessBuilder(whole).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException("modprobe cannot be run (package kmod): " + e.getMessage(), e);
    }
    process.getOutputStream().close();
    if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      // Otherwise each pass would add one.
      process.destroyForcibly();
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
  }
}
