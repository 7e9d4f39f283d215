package org.tpubootd.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The package's own files: there, as they were built, and not hidden by others. */
final class PackageFiles implements Check {

  private static final String LAUNCHER = "/usr/bin/tpu-bootd";

  /** Without these nothing runs, whoever has laid the tree out. */
  private static final List<String> ESSENTIAL =
      List.of(
          LAUNCHER,
          "/usr/lib/tpu-bootd/tpu-bootd.jar",
          "/usr/lib/tpu-bootd/jvm.options",
          "/usr/lib/tpu-bootd/runtime/bin/java");

  /** Settings below /usr/lib, in place of which a file of the same name in /etc is read. */
  private static final List<String> SETTINGS =
      List.of(
          "/usr/lib/udev/rules.d/60-tpu-bootd.rules",
          "/usr/lib/modules-load.d/tpu-bootd.conf",
          "/usr/lib/sysusers.d/tpu-bootd.conf",
          "/usr/lib/tmpfiles.d/tpu-bootd.conf",
          "/usr/lib/systemd/system.conf.d/60-tpu-bootd.conf",
          "/usr/lib/systemd/user.conf.d/60-tpu-bootd.conf");

  private static final String SUMS = "/var/lib/dpkg/info/tpu-bootd.md5sums";
  private static final String AGAIN = "install the package again: apt install --reinstall ./*.deb";

  private final Tree tree;

  PackageFiles(Tree tree) {
    this.tree = tree;
  }

  @Override
  public String name() {
    return "package";
  }

  @Override
  public List<Result> look() throws IOException {
    var results = new ArrayList<Result>();
    results.add(files());
    for (String file : SETTINGS) {
      String read = Layers.inPlaceOf(tree, file);
      if (!read.equals(file)) {
        results.add(
            Result.warning(
                name(),
                "%s is read in place of the package's file".formatted(read),
                "compare it with %s, or remove it".formatted(file)));
      }
    }
    return results;
  }

  private Result files() throws IOException {
    for (String file : ESSENTIAL) {
      if (!tree.exists(file)) {
        return Result.error(name(), file + " is missing", AGAIN);
      }
    }
    if (!tree.isProgram(LAUNCHER)) {
      return Result.error(name(), LAUNCHER + " may not be run", "chmod 755 " + LAUNCHER);
    }
    Optional<DpkgStatus> installed = DpkgStatus.of(tree, "tpu-bootd");
    if (installed.isEmpty()) {
      return Result.ok(name(), "the program is there, without a package of dpkg's")
          .withNotes(List.of("so its files cannot be compared with what was built"));
    }
    if (!installed.get().isComplete()) {
      return Result.error(
          name(),
          "dpkg has not finished its installation: " + installed.get().status(),
          "dpkg --configure tpu-bootd, and see what it says");
    }
    return compared(installed.get().version());
  }

  /** Not what is below /usr/share: small images leave manuals and licences out. */
  private Result compared(String version) throws IOException {
    var missing = new ArrayList<String>();
    var changed = new ArrayList<String>();
    int files = 0;
    for (String line : tree.lines(SUMS)) {
      String[] columns = line.split(" +", 2);
      if (columns.length < 2 || columns[1].startsWith("usr/share/")) {
        continue;
      }
      files++;
      Path file = tree.root().follow("/" + columns[1]);
      if (!Files.isRegularFile(file)) {
        missing.add("/" + columns[1]);
      } else if (!md5(file).equals(columns[0])) {
        changed.add("/" + columns[1]);
      }
    }
    if (!missing.isEmpty()) {
      return Result.error(name(), "missing: " + Words.first(missing), AGAIN);
    }
    if (!changed.isEmpty()) {
      return Result.warning(name(), "not as built: " + Words.first(changed), AGAIN);
    }
    return Result.ok(name(), "version %s, %d files as they were built".formatted(version, files));
  }

  /** What dpkg keeps is MD5: against accidents, not against anybody. */
  private static String md5(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        var sum =
            new DigestOutputStream(
                OutputStream.nullOutputStream(), MessageDigest.getInstance("MD5"))) {
      in.transferTo(sum);
      return HexFormat.of().formatHex(sum.getMessageDigest().digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has MD5", e);
    }
  }
}
