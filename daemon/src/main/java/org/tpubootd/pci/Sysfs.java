package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.tpubootd.config.HostRoot;

/**
 * Reads what sysfs says of PCI functions. Nothing in here can hang: only attributes that the kernel
 * shows without taking a device's lock are read ({@code driver_override} takes it).
 */
final class Sysfs {

  static final String VFIO_PCI = "vfio-pci";
  private static final String DEVICES = "/sys/bus/pci/devices";

  private final HostRoot root;

  Sysfs(HostRoot root) {
    this.root = root;
  }

  /**
   * All PCI functions.
   *
   * @param unreadable a sentence for each function that is there but could not be read
   */
  record Scan(List<PciFunction> functions, List<String> unreadable) {}

  /**
   * Lists and reads; one that goes away meanwhile is simply not there.
   *
   * @throws IOException where the list itself cannot be had
   */
  Scan scan() throws IOException {
    var functions = new ArrayList<PciFunction>();
    var unreadable = new ArrayList<String>();
    for (Path directory : list(root.resolve(DEVICES))) {
      try {
        read(directory).ifPresent(functions::add);
      } catch (IOException e) {
        unreadable.add(name(directory) + " could not be read: " + KernelFiles.reason(e));
      }
    }
    return new Scan(functions, unreadable);
  }

  /** The members of an IOMMU group, whatever they are. */
  List<PciFunction> members(String group) throws IOException {
    var members = new ArrayList<PciFunction>();
    for (Path directory : list(root.resolve("/sys/kernel/iommu_groups/" + group + "/devices"))) {
      read(directory).ifPresent(members::add);
    }
    return members;
  }

  /** The name under which the kernel lists a group that vfio made up, with no IOMMU behind it. */
  boolean isNoIommu(String group) {
    try {
      return text(root.resolve("/sys/kernel/iommu_groups/" + group), "name").equals("vfio-noiommu");
    } catch (IOException e) {
      return false;
    }
  }

  /** The driver that the link names now. */
  Optional<String> driver(String bdf) throws IOException {
    return link(device(bdf), "driver");
  }

  boolean isThere(String bdf) {
    return Files.exists(device(bdf), LinkOption.NOFOLLOW_LINKS);
  }

  boolean hasDriver(String driver) {
    return Files.isDirectory(root.resolve("/sys/bus/pci/drivers/" + driver));
  }

  boolean hasModule(String module) {
    return Files.isDirectory(root.resolve("/sys/module/" + module));
  }

  Path device(String bdf) {
    return root.resolve(DEVICES + "/" + bdf);
  }

  /** Where the kernel takes a function away from this very driver, and says ENODEV else. */
  Path unbind(String driver) {
    return root.resolve("/sys/bus/pci/drivers/" + driver + "/unbind");
  }

  Path driversProbe() {
    return root.resolve("/sys/bus/pci/drivers_probe");
  }

  private Optional<PciFunction> read(Path directory) throws IOException {
    try {
      String numa = text(directory, "numa_node");
      var function =
          new PciFunction(
              name(directory),
              id(directory, "vendor"),
              id(directory, "device"),
              id(directory, "subsystem_vendor"),
              id(directory, "subsystem_device"),
              id(directory, "class"),
              link(directory, "driver"),
              link(directory, "iommu_group"),
              numa.matches("[0-9]{1,4}") ? Integer.parseInt(numa) : -1);
      // One that went away in the middle would look like one without driver and group.
      return Files.exists(directory) ? Optional.of(function) : Optional.empty();
    } catch (IOException e) {
      if (!Files.exists(directory)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static String id(Path directory, String attribute) throws IOException {
    String text = text(directory, attribute).toLowerCase(Locale.ROOT);
    return text.startsWith("0x") ? text.substring(2) : text;
  }

  /** Empty where there is no such attribute: members of a group need not be PCI functions. */
  private static String text(Path directory, String attribute) throws IOException {
    try {
      return Files.readString(directory.resolve(attribute)).strip();
    } catch (NoSuchFileException e) {
      if (!Files.exists(directory)) {
        throw e;
      }
      return "";
    }
  }

  private static Optional<String> link(Path directory, String name) throws IOException {
    try {
      return Optional.of(name(Files.readSymbolicLink(directory.resolve(name))));
    } catch (NoSuchFileException | NotLinkException e) {
      return Optional.empty();
    }
  }

  /** In order of addresses, which is the order in which the chips are counted. */
  private static List<Path> list(Path directory) throws IOException {
    var entries = new ArrayList<Path>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
    entries.sort(null);
    return entries;
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }
}
