package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.pci.Nodes.Kind;
import org.tpubootd.pci.Nodes.Node;

class NodesTest {

  @TempDir Path directory;
  private HostTree tree;
  private Nodes nodes;

  @BeforeEach
  void makeTree() throws IOException {
    tree = new HostTree(directory);
    nodes = new Nodes(tree.root());
  }

  @Test
  void setMode_ofADevice() throws Exception {
    tree.fifo("/dev/vfio/5", "600");
    nodes.setMode("/dev/vfio/5", 0640);
    assertThat(nodes.look("/dev/vfio/5")).isEqualTo(new Node("/dev/vfio/5", Kind.DEVICE, 0640));
  }

  @Test
  void setMode_touchesNoRegularFile() throws IOException {
    tree.write("/dev/vfio/5", "");
    Files.setPosixFilePermissions(
        tree.path("/dev/vfio/5"), PosixFilePermissions.fromString("rw-------"));

    assertThatIOException()
        .isThrownBy(() -> nodes.setMode("/dev/vfio/5", 0666))
        .withMessage("the mode of /dev/vfio/5 was not set: it is no device node");
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(tree.path("/dev/vfio/5"))))
        .isEqualTo("rw-------");
  }

  @Test
  void setMode_followsNoLink() throws Exception {
    tree.fifo("/dev/secret", "600");
    tree.link("/dev/vfio/5", "/dev/secret");

    assertThatIOException().isThrownBy(() -> nodes.setMode("/dev/vfio/5", 0666));
    assertThat(nodes.look("/dev/secret").modeText()).isEqualTo("0600");
  }

  @Test
  void setMode_ofWhatIsGone() {
    assertThatIOException()
        .isThrownBy(() -> nodes.setMode("/dev/vfio/5", 0666))
        .withMessageEndingWith("it is gone");
  }

  @Test
  void accel_inOrderOfNumbers() throws Exception {
    for (String name : new String[] {"accel10", "accel2", "accel0", "accelerate"}) {
      tree.fifo("/dev/" + name, "600");
    }
    tree.directory("/dev/accel");
    assertThat(nodes.accel())
        .extracting(Node::path)
        .containsExactly("/dev/accel0", "/dev/accel2", "/dev/accel10");
  }
}
