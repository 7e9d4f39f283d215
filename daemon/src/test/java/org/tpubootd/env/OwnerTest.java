package org.tpubootd.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
