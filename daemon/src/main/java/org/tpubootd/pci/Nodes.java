package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.tpubootd.config.HostRoot;

/** The device nodes: looks at them and sets their modes. Never opens one: vfio counts openers. */
final class Nodes {

  static final String VFIO_CONTAINER = "/dev/vfio/vfio";

  private final HostRoot root;

  Nodes(HostRoot root) {
    this.root = root;
  }

  /** What there is under a name. */
  enum Kind {
    MISSING,
    /** A character device: Java calls everything that is no file, directory or link "other". */
    DEVICE,
    /** A file, a directory or a symbolic link that stands where a device node belongs. */
    SOMETHING_ELSE
  }

  /**
   * A node as it is now.
   *
   * @param path as the host sees it
   * @param mode permission bits; 0 where there is no device
   */
  record Node(String path, Kind kind, int mode) {

    boolean isDevice() {
      return kind == Kind.DEVICE;
    }

    /** For messages: {@code 0666}. */
    String modeText() {
      return octal(mode);
    }
  }

  static String octal(int mode) {
    return "%04o".formatted(mode);
  }

  Node look(String path) throws IOException {
    try {
      var attributes =
          Files.readAttributes(
              root.resolve(path), PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isOther()
          ? new Node(path, Kind.DEVICE, bits(attributes.permissions()))
          : new Node(path, Kind.SOMETHING_ELSE, 0);
    } catch (NoSuchFileException e) {
      return new Node(path, Kind.MISSING, 0);
    }
  }

  /**
   * Sets the permission bits of what is a device node at this moment: udev may have made it anew
   * since it was seen last.
   */
  void setMode(String path, int mode) throws IOException {
    Node now = look(path);
    if (!now.isDevice()) {
      throw new IOException(
          "the mode of %s was not set: %s"
              .formatted(path, now.kind() == Kind.MISSING ? "it is gone" : "it is no device node"));
    }
    try {
      Files.setPosixFilePermissions(root.resolve(path), permissions(mode));
    } catch (IOException e) {
      throw new IOException(
          "setting the mode of %s to %s failed: %s"
              .formatted(path, octal(mode), KernelFiles.reason(e)),
          e);
    }
  }

  /** The nodes of Google's own driver, {@code /dev/accel0} first. */
  List<Node> accel() throws IOException {
    var names = new ArrayList<String>();
    try (DirectoryStream<Path> stream =
        Files.newDirectoryStream(root.resolve("/dev"), "accel[0-9]*")) {
      for (Path path : stream) {
        String name = String.valueOf(path.getFileName());
        if (name.matches("accel[0-9]{1,4}")) {
          names.add(name);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
    names.sort(Comparator.comparingInt(name -> Integer.parseInt(name.substring(5))));
    var nodes = new ArrayList<Node>();
    for (String name : names) {
      nodes.add(look("/dev/" + name));
    }
    return nodes;
  }

  /** Whether vfio made a node for a group that has no IOMMU behind it. */
  boolean hasNoIommuNode(String group) {
    return Files.exists(root.resolve("/dev/vfio/noiommu-" + group), LinkOption.NOFOLLOW_LINKS);
  }

  private static int bits(Set<PosixFilePermission> permissions) {
    return permissions.stream().mapToInt(Nodes::bit).sum();
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    var permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (var permission : PosixFilePermission.values()) {
      if ((mode & bit(permission)) != 0) {
        permissions.add(permission);
      }
    }
    return permissions;
  }

  /** The enum's order is that of the bits, from the owner's read down to the others' execute. */
  private static int bit(PosixFilePermission permission) {
    return 0400 >> List.of(PosixFilePermission.values()).indexOf(permission);
  }
}
