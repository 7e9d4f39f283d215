package org.tpubootd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.StateStore;
import org.tpubootd.env.SafeFile;
import org.tpubootd.env.Wanted;

/** Keeps what is remembered of each container in a small file of its own. */
record StateFiles(HostRoot root) implements StateStore {

  private static final String DIRECTORY = "/var/lib/tpu-bootd/containers/";

  private static final String ENDING = ".json";

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

  @Override
  public Set<String> parts() throws IOException {
    var parts = new TreeSet<String>();
    try (var files = Files.newDirectoryStream(root.resolve(DIRECTORY), "*" + ENDING)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        parts.add(name.substring(0, name.length() - ENDING.length()));
      }
    } catch (NoSuchFileException _) {
      return Set.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return parts;
  }

  @Override
  public void remove(String part) throws IOException {
    Files.deleteIfExists(root.resolve(path(part)));
  }

  private static String path(String part) {
    return DIRECTORY + part + ENDING;
  }

  private SafeFile file(String part) {
    return new SafeFile(root, path(part));
  }
}
