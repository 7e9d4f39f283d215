package org.tpubootd.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.HostRoot;

/** Tests for {@link Owner}. */
class OwnerTest {

  @TempDir Path directory;

  private HostRoot withPasswd(String text) throws IOException {
    Files.createDirectories(directory.resolve("etc"));
    Files.writeString(directory.resolve("etc/passwd"), text);
    return new HostRoot(directory);
  }

  @Test
  void find_readsTheHostsOwnUsers() throws Exception {
    var root =
        withPasswd(
            """
            root:x:0:0:root:/root:/bin/bash
            tpu-runtime2:x:1:1::/:/bin/false
            tpu-runtime:x:2000:2001:\u00e9,,,:/home/tpu-runtime:/bin/bash
            """);

    assertThat(Owner.find(root, "tpu-runtime")).contains(new Owner(2000, 2001));
    assertThat(Owner.find(root, "tpu")).isEmpty();
    assertThat(Owner.findOrRoot(root, "tpu")).isEqualTo(Owner.ROOT);
  }

  /** The name service of this machine knows nobody by that number, or by any such long name. */
  @Test
  void principals_areThoseOfTheNumbers() throws Exception {
    assumeTrue(Owner.thisProcessIsRoot(), "only root can give files away");
    Path file = Files.createFile(directory.resolve("file"));

    Files.setAttribute(file, "unix:uid", 54321);
    Files.setAttribute(file, "unix:gid", -2); // 4294967294, as NFS has it for nobody

    var attributes = Files.readAttributes(file, PosixFileAttributes.class);
    assertThat(new Owner(54321, -2).user()).isEqualTo(attributes.owner());
    assertThat(new Owner(54321, -2).group()).isEqualTo(attributes.group());
    assertThat(new Owner(54321, -2).user().getName()).hasSizeGreaterThan(256);
    assertThat(Files.getOwner(Path.of("/proc/self")))
        .isEqualTo(new Owner(Owner.uidOfThisProcess(), 0).user());
  }

  @Test
  void find_noPasswd() throws Exception {
    assertThat(Owner.find(new HostRoot(directory), "tpu-runtime")).isEmpty();
  }

  @Test
  void find_brokenEntry() throws Exception {
    var root = withPasswd("short:x\ntpu-runtime:x:abc:1::/:/bin/sh\n");

    assertThatIOException()
        .isThrownBy(() -> Owner.find(root, "tpu-runtime"))
        .withMessage("/etc/passwd: the entry of tpu-runtime has no numbers for ids");
    assertThat(Owner.find(root, "short")).isEmpty();
  }
}
