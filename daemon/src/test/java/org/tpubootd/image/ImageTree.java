package org.tpubootd.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import org.tpubootd.config.HostRoot;

/** The tree of an image, with the project's own files laid out in it as the package does it. */
final class ImageTree {

  static final String KERNEL = "6.8.0-1020-gcp";
  static final String ARGUMENTS =
      "root=UUID=1 ro idle=poll transparent_hugepage=always intel_iommu=on,sm_on console=ttyS0";

  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final List<String> SOURCES =
      List.of("packaging/rootfs", "packaging/rootfs.amd64", "systemd");

  private final Path root;

  private ImageTree(Path root) {
    this.root = root;
  }

  static ImageTree empty(Path root) {
    return new ImageTree(root);
  }

  /** An image in which nothing is wrong, not even in part. */
  static ImageTree good(Path root) throws IOException {
    var tree = new ImageTree(root);
    tree.link("/lib", "usr/lib");
    for (String source : SOURCES) {
      tree.copy(PROJECT.resolve(source));
    }
    tree.program("/usr/lib/tpu-bootd/bin/tpu-bootd");
    tree.link("/usr/bin/tpu-bootd", "../lib/tpu-bootd/bin/tpu-bootd");
    tree.file("/usr/lib/tpu-bootd/tpu-bootd.jar", "jar");
    tree.program("/usr/lib/tpu-bootd/runtime/bin/java");
    tree.machine(62);
    tree.program("/usr/lib/systemd/systemd");
    tree.link(
        "/etc/systemd/system/multi-user.target.wants/tpu-bootd.service",
        "/lib/systemd/system/tpu-bootd.service");
    tree.program("/usr/sbin/modprobe");
    tree.kernel(KERNEL, "vfio-pci", "vfio_iommu_type1");
    tree.grub(ARGUMENTS);
    tree.file("/etc/passwd", "tpu-runtime:x:2000:2000::/home/tpu-runtime:/usr/sbin/nologin\n");
    tree.program("/usr/bin/dockerd");
    tree.file("/usr/lib/systemd/system/docker.service", "[Unit]\n");
    tree.link(
        "/etc/systemd/system/multi-user.target.wants/docker.service",
        "/usr/lib/systemd/system/docker.service");
    tree.baked("vbar", "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1");
    tree.baked("telemetry", "gcr.io/cloud-tpu-v2-images/ai-telemetry-collector:latest");
    tree.file("/etc/os-release", "PRETTY_NAME=\"Ubuntu 24.04\"\nID=ubuntu\nVERSION_ID=\"24.04\"\n");
    return tree;
  }

  HostRoot root() {
    return new HostRoot(root);
  }

  Tree tree() {
    return new Tree(root());
  }

  Path path(String absolute) {
    return root.resolve(absolute.substring(1));
  }

  ImageTree file(String absolute, String text) throws IOException {
    Path file = path(absolute);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return this;
  }

  ImageTree append(String absolute, String text) throws IOException {
    return file(absolute, Files.readString(path(absolute)) + text);
  }

  ImageTree program(String absolute) throws IOException {
    if (!Files.exists(path(absolute))) {
      file(absolute, "program");
    }
    Files.setPosixFilePermissions(path(absolute), PosixFilePermissions.fromString("rwxr-xr-x"));
    return this;
  }

  ImageTree link(String absolute, String target) throws IOException {
    Path link = path(absolute);
    Files.createDirectories(link.getParent());
    Files.deleteIfExists(link);
    Files.createSymbolicLink(link, Path.of(target));
    return this;
  }

  ImageTree delete(String absolute) throws IOException {
    Files.delete(path(absolute));
    return this;
  }

  /**
   * The processor that the package's program is for.
   *
   * @param number e_machine of ELF: 62 for x86-64, 183 for AArch64
   */
  ImageTree machine(int number) throws IOException {
    byte[] header = HexFormat.of().parseHex("7f454c4602010100000000000000000003003e00");
    header[18] = (byte) number;
    Files.write(path("/usr/lib/tpu-bootd/runtime/bin/java"), header);
    return this;
  }

  ImageTree kernel(String version, String... modules) throws IOException {
    var list = new StringBuilder("kernel/fs/ext4/ext4.ko.zst: kernel/fs/jbd2/jbd2.ko.zst\n");
    for (String module : modules) {
      list.append(
          "kernel/drivers/vfio/%s.ko.zst: kernel/drivers/vfio/vfio.ko.zst\n".formatted(module));
    }
    file("/usr/lib/modules/" + version + "/modules.builtin", "kernel/fs/proc/proc.ko\n");
    return file("/usr/lib/modules/" + version + "/modules.dep", list.toString());
  }

  /** As grub-mkconfig writes it for one kernel. */
  ImageTree grub(String arguments) throws IOException {
    return file(
        "/boot/grub/grub.cfg",
        """
        set default="0"
        menuentry 'Ubuntu' --class ubuntu $menuentry_id_option 'gnulinux-simple-1' {
        \tlinux\t/boot/vmlinuz-%1$s %2$s
        \tinitrd\t/boot/initrd.img-%1$s
        }
        submenu 'Advanced options for Ubuntu' {
        \tmenuentry 'Ubuntu, with Linux %1$s' --class ubuntu {
        \t\tlinux\t/boot/vmlinuz-%1$s %2$s
        \t}
        \tmenuentry 'Ubuntu, with Linux %1$s (recovery mode)' --class ubuntu {
        \t\tlinux\t/boot/vmlinuz-%1$s root=UUID=1 ro recovery nomodeset
        \t}
        }
        """
            .formatted(KERNEL, arguments));
  }

  /** An archive of which the file beside it tells what it holds. */
  ImageTree baked(String name, String image) throws IOException {
    String archive = "/usr/share/tpu-bootd/images/" + name + ".tar";
    file(archive + ".ref", image + "\n");
    return file(archive, "layers");
  }

  private void copy(Path source) throws IOException {
    try (var files = Files.walk(source)) {
      for (Path file :
          files.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)).toList()) {
        Path target = root.resolve(source.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }
}
