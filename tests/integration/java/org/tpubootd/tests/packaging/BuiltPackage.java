package org.tpubootd.tests.packaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the build has made in packaging/target, and how programs are run on it. */
public final class BuiltPackage {

  public static final Path PROJECT = Path.of(System.getProperty("tpubootd.project"));
  static final Path PACKAGING = PROJECT.resolve("packaging");
  public static final Path TARGET = PACKAGING.resolve("target");
  static final Path STAGE = TARGET.resolve("stage");
  static final String VERSION = System.getProperty("tpubootd.version");

  private static final int MINUTES = 10;

  private BuiltPackage() {}

  /** How a program ended, and what it said. */
  public record Said(int code, String out, String err) {

    /** Fails the test where the program failed. */
    public Said ok() {
      if (code != 0) {
        throw new AssertionError(toString());
      }
      return this;
    }

    @Override
    public String toString() {
      return "exit code " + code + "\n" + out + err;
    }
  }

  public static Path deb() throws IOException {
    try (var files = Files.newDirectoryStream(TARGET, "*.deb")) {
      for (Path file : files) {
        return file;
      }
    }
    throw new IOException("no .deb in " + TARGET + ": mvn package makes it");
  }

  /** The same package with a later version and a changed configuration file, in this folder. */
  public static Path newer(Path folder) throws IOException, InterruptedException {
    Path tree = folder.resolve("newer");
    run("dpkg-deb", "-R", deb().toString(), tree.toString()).ok();
    Path control = tree.resolve("DEBIAN/control");
    Files.writeString(
        control,
        Files.readString(control).replace("Version: " + VERSION, "Version: " + VERSION + "+1"));
    Path config = tree.resolve("etc/tpu-bootd/config.yaml");
    Files.writeString(config, Files.readString(config) + "\n## Of the newer version.\n");
    return pack(tree, folder.resolve("newer.deb"));
  }

  /** A newer one whose own script says no: dpkg goes back to what was there. */
  static Path refusing(Path folder) throws IOException, InterruptedException {
    newer(folder);
    Path tree = folder.resolve("newer");
    Path preinst = tree.resolve("DEBIAN/preinst");
    Files.writeString(preinst, "#!/bin/sh\nexit 1\n");
    run("chmod", "755", preinst.toString()).ok();
    return pack(tree, folder.resolve("refusing.deb"));
  }

  private static Path pack(Path tree, Path deb) throws IOException, InterruptedException {
    run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree.toString(), deb.toString()).ok();
    return deb;
  }

  /** Runs a program to its end. */
  static Said run(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    return run(environment, command, Path.of("/dev/null"));
  }

  /** Runs a program to its end, with a file as its standard input. */
  public static Said run(Map<String, String> environment, List<String> command, Path input)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("tpu-bootd", ".out");
    Path err = Files.createTempFile("tpu-bootd", ".err");
    try {
      var builder =
          new ProcessBuilder(command)
              .redirectInput(input.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().put("LC_ALL", "C.UTF-8");
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new AssertionError("does not end: " + command);
      }
      return new Said(process.exitValue(), read(out), read(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  public static Said run(String... command) throws IOException, InterruptedException {
    return run(Map.of(), List.of(command));
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
