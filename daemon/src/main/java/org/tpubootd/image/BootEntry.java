package org.tpubootd.image;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tpubootd.host.KernelArguments;

/**
 * One way in which a boot loader starts a kernel.
 *
 * @param title as people see it in the boot menu
 * @param kernel the kernel's file; empty where it is not told
 */
record BootEntry(String title, Optional<String> kernel, KernelArguments arguments) {

  private static final Pattern VERSION = Pattern.compile(".*/?(?:vmlinuz|linux|kernel)-(.+)");

  /** The kernel's version, where the name of its file has it. */
  Optional<String> version() {
    return kernel.map(VERSION::matcher).filter(Matcher::matches).map(match -> match.group(1));
  }

  /** For repair: nobody trains with it. */
  boolean isForRecovery() {
    return title.contains("recovery mode")
        || arguments.has("recovery")
        || arguments.has("single")
        || arguments.has("systemd.unit=rescue.target");
  }
}
