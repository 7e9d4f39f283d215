package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.tpubootd.config.HostRoot;

/**
 * Says whether the host lives on a function: taking its driver away would take a mounted disk, a
 * network interface or an open accelerator with it.
 */
final class InUse {

  private final HostRoot root;
  private final Holders holders;

  InUse(HostRoot root, Holders holders) {
    this.root = root;
    this.holders = holders;
  }

  /**
   * What uses the function, such as {@code its disk nvme0n1 is mounted on /}.
   *
   * @throws IOException where it cannot be told; then the function must be left alone
   */
  Optional<String> by(PciFunction function) throws IOException {
    Path device;
    try {
      device = root.resolve("/sys/bus/pci/devices/" + function.bdf()).toRealPath();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    return disk(device).or(() -> swap(device)).or(() -> network(device)).or(() -> accel(device));
  }

  private Optional<String> disk(Path device) throws IOException {
    for (var mount : mounts().entrySet()) {
      if (isUnder(mount.getKey(), device)) {
        return Optional.of(
            "its disk %s is mounted on %s"
                .formatted(mount.getKey().getFileName(), mount.getValue()));
      }
    }
    return Optional.empty();
  }

  private Optional<String> swap(Path device) {
    return lines("/proc/swaps").stream()
        .map(line -> line.split("\\s+")[0])
        .filter(source -> source.startsWith("/dev/"))
        .filter(source -> block(source).filter(block -> isUnder(block, device)).isPresent())
        .map(source -> "it has the swap space " + source)
        .findFirst();
  }

  /** Up, or named by a route: either is enough. */
  private Optional<String> network(Path device) {
    Set<String> routed =
        lines("/proc/net/route").stream()
            .skip(1)
            .map(line -> line.split("\\s+")[0])
            .collect(Collectors.toSet());
    for (Path entry : list(root.resolve("/sys/class/net"))) {
      String name = String.valueOf(entry.getFileName());
      if (real(entry).filter(path -> path.startsWith(device)).isEmpty()) {
        continue;
      }
      if (routed.contains(name)) {
        return Optional.of("its network interface " + name + " has a route");
      }
      if (isUp(entry)) {
        return Optional.of("its network interface " + name + " is up");
      }
    }
    return Optional.empty();
  }

  /** The kernel's flags, in hex: bit 0 is IFF_UP. One that cannot be read counts as up. */
  private static boolean isUp(Path networkInterface) {
    try {
      String flags = Files.readString(networkInterface.resolve("flags")).strip();
      return (Long.decode(flags) & 1) != 0;
    } catch (IOException | NumberFormatException e) {
      return true;
    }
  }

  private Optional<String> accel(Path device) {
    Set<String> nodes = accelNodes(device);
    return nodes.isEmpty() ? Optional.empty() : holders.of(nodes).stream().findFirst();
  }

  /** The nodes that a driver of the kernel's accel kind made for the function. */
  static Set<String> accelNodes(Path device) {
    var nodes = new HashSet<String>();
    for (Path entry : list(device.resolve("accel"))) {
      nodes.add("/dev/" + entry.getFileName());
      nodes.add("/dev/accel/" + entry.getFileName());
    }
    return nodes;
  }

  /** Where in sysfs each mounted disk is, and what it is mounted on. */
  private Map<Path, String> mounts() throws IOException {
    var mounts = new LinkedHashMap<Path, String>();
    for (String line : Files.readAllLines(root.resolve("/proc/self/mountinfo"))) {
      // 36 35 259:1 / /boot rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw
      String[] fields = line.split(" ");
      int dash = List.of(fields).indexOf("-");
      if (fields.length < 5 || dash < 0 || fields.length < dash + 3) {
        continue;
      }
      // By number, as /dev/root is no name of a disk; by name, as btrfs has numbers of its own.
      real(root.resolve("/sys/dev/block/" + fields[2]))
          .ifPresent(block -> mounts.putIfAbsent(block, fields[4]));
      block(fields[dash + 2]).ifPresent(block -> mounts.putIfAbsent(block, fields[4]));
    }
    return mounts;
  }

  private Optional<Path> block(String source) {
    if (!source.startsWith("/dev/")) {
      return Optional.empty();
    }
    return real(root.resolve(source))
        .flatMap(node -> real(root.resolve("/sys/class/block/" + node.getFileName())));
  }

  /** Whether a disk is on the device, or made of parts that are (LVM, RAID, encryption). */
  private static boolean isUnder(Path block, Path device) {
    if (block.startsWith(device)) {
      return true;
    }
    for (Path part : list(block.resolve("slaves"))) {
      if (real(part).filter(path -> isUnder(path, device)).isPresent()) {
        return true;
      }
    }
    return false;
  }

  private List<String> lines(String path) {
    try {
      return Files.readAllLines(root.resolve(path));
    } catch (IOException e) {
      return List.of(); // a kernel without swap, or without IPv4
    }
  }

  private static Optional<Path> real(Path path) {
    try {
      return Optional.of(path.toRealPath());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static List<Path> list(Path directory) {
    var entries = new ArrayList<Path>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return entries;
    } catch (IOException | DirectoryIteratorException e) {
      return entries; // it went away while it was listed
    }
    return entries;
  }
}
