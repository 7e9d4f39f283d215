package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.tpubootd.config.HostRoot;

/** Finds the processes that have a device node open, by the links in {@code /proc/PID/fd}. */
final class Holders {

  private final HostRoot root;

  Holders(HostRoot root) {
    this.root = root;
  }

  /**
   * Names each process once, such as {@code process 4711 (python3) holds /dev/vfio/5}. Processes
   * that end meanwhile, or may not be looked into, are passed over.
   */
  List<String> of(Set<String> nodes) {
    var found = new ArrayList<String>();
    for (Path process : list(root.resolve("/proc"), "[0-9]*")) {
      var held = new TreeSet<String>();
      for (Path descriptor : list(process.resolve("fd"), "*")) {
        target(descriptor).filter(nodes::contains).ifPresent(held::add);
      }
      if (!held.isEmpty()) {
        found.add(
            "process %s (%s) holds %s"
                .formatted(process.getFileName(), name(process), String.join(", ", held)));
      }
    }
    return found;
  }

  private static Optional<String> target(Path descriptor) {
    try {
      return Optional.of(Files.readSymbolicLink(descriptor).toString());
    } catch (IOException e) {
      return Optional.empty(); // closed since it was listed
    }
  }

  private static String name(Path process) {
    try {
      return Files.readString(process.resolve("comm")).strip();
    } catch (IOException e) {
      return "ended meanwhile";
    }
  }

  private static List<Path> list(Path directory, String pattern) {
    var entries = new ArrayList<Path>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, pattern)) {
      stream.forEach(entries::add);
    } catch (IOException | DirectoryIteratorException e) {
      return entries; // the process has ended, or is another user's
    }
    return entries;
  }
}
