package org.tpubootd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Optional;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.StateStore;
import org.tpubootd.env.SafeFile;
import org.tpubootd.env.Wanted;

/** Keeps what is remembered of each container in a small file of its own. */
record StateFiles(HostRoot root) implements StateStore {

  private static final String DIRECTORY = "/var/lib/tpu-bootd/containers/";

  /** Many times what is ever written. */
  private static final int LONGEST = 1 << 20;

  @Override
  public Optional<String> read(String part) throws IOException, InterruptedException {
    return file(part).read(LONGEST).map(bytes -> new String(bytes, UTF_8));
  }

  @Override
  public void write(String part, String text) throws IOException, InterruptedException {
    file(part).write(Wanted.file(text, 0644, null));
  }

  private SafeFile file(String part) {
    return new SafeFile(root, DIRECTORY + part + ".json");
  }
}
