package org.tpubootd.tests.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.packaging.BuiltPackage.PACKAGING;
import static org.tpubootd.tests.packaging.BuiltPackage.PROJECT;
import static org.tpubootd.tests.packaging.BuiltPackage.STAGE;
import static org.tpubootd.tests.packaging.BuiltPackage.TARGET;
import static org.tpubootd.tests.packaging.BuiltPackage.VERSION;
import static org.tpubootd.tests.packaging.BuiltPackage.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.packaging.BuiltPackage.Said;

/** The launcher and the cache of classes, on a copy of the package's tree at its final path. */
@Tag("real")
@Tag("package")
@NeedsPart({Part.DPKG_DEB, Part.MOUNT_NAMESPACE})
class CacheIT {

  private static final String HOME = "usr/lib/tpu-bootd";
  private static final String PROGRAM = "/usr/lib/tpu-bootd/bin/tpu-bootd";
  private static final String ANSWER = "tpu-bootd " + VERSION + "\n";

  private Path tree;

  @BeforeEach
  void unpack(@TempDir Path directory) throws Exception {
    tree = directory.resolve("tree");
    run("dpkg-deb", "-x", BuiltPackage.deb().toString(), tree.toString()).ok();
  }

  private Path file(String name) {
    return tree.resolve(HOME).resolve(name);
  }

  /** Asks for the version, with further options of the JVM. */
  private Said atFinalPath(String options) throws IOException, InterruptedException {
    return run(
        Map.of("TPU_BOOTD_JVM_OPTIONS", options),
        List.of(
            PACKAGING.resolve("at-final-path").toString(), tree.toString(), PROGRAM, "--version"));
  }

  @Test
  void cacheOfThePackage_isTaken() throws Exception {
    assertThat(atFinalPath("-XX:AOTMode=on")).isEqualTo(new Said(0, ANSWER, ""));
  }

  @Test
  void cacheOfThePackage_holdsAlmostAllClasses() throws Exception {
    String loaded = atFinalPath("-Xlog:class+load:stderr").ok().err();
    assertThat(loaded.lines().filter(line -> line.contains("shared objects file")))
        .hasSizeGreaterThan(3000);
    // Also those of picocli: as published they are of Java 5 and would be left out.
    assertThat(loaded.lines().filter(line -> line.contains("source: file:"))).hasSizeLessThan(20);
  }

  @Test
  void cacheOfThePackage_hasNoCodeForTheBuildersProcessor() throws Exception {
    assertThat(atFinalPath("-Xlog:aot+codecache*=info:stderr").ok().err())
        .contains("AOT Code Cache is empty");
  }

  @Test
  void listOfWhatTheCacheWasMadeFrom_fitsThePackage() throws Exception {
    String check = "cd \"$0\" && sha256sum --quiet -c tpu-bootd.aot.sha256";
    assertThat(run("sh", "-c", check, tree.resolve(HOME).toString()))
        .isEqualTo(new Said(0, "", ""));
    assertThat(Files.readString(file("tpu-bootd.aot.sha256")).lines())
        .hasSizeGreaterThan(20)
        .anyMatch(line -> line.endsWith(" tpu-bootd.jar"))
        .anyMatch(line -> line.endsWith(" runtime/lib/modules"));
  }

  @Test
  void jarWithAnotherTime_isNoticed() throws Exception {
    run("touch", file("tpu-bootd.jar").toString()).ok();
    Said strict = atFinalPath("-XX:AOTMode=on");
    assertThat(strict.code()).as(strict.toString()).isEqualTo(1);
    assertThat(strict.err()).contains("tpu-bootd.jar', timestamp has changed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"truncated", "garbage", "empty"})
  void cacheThatCannotBeUsed_isLeftOutWithALine(String how) throws Exception {
    Path cache = file("tpu-bootd.aot");
    switch (how) {
      case "truncated" -> run("truncate", "-s", "1000000", cache.toString()).ok();
      case "garbage" -> Files.writeString(cache, "no cache at all\n".repeat(1000));
      default -> Files.write(cache, new byte[0]);
    }
    Said said = atFinalPath("");
    assertThat(said.code()).as(said.toString()).isZero();
    // Standard output is the command's own.
    assertThat(said.out()).isEqualTo(ANSWER);
    assertThat(said.err()).contains("AOT cache");
  }

  @Test
  void cacheOfAnotherMachine_isLeftOutWithALine() throws Exception {
    // Stands for one whose JVM lays out objects otherwise.
    Said said = atFinalPath("-XX:+UseCompactObjectHeaders");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.out()).isEqualTo(ANSWER);
    assertThat(said.err()).contains("Unable to use AOT cache");
  }

  @Test
  void noCache_isNoError() throws Exception {
    Files.delete(file("tpu-bootd.aot"));
    assertThat(atFinalPath("")).isEqualTo(new Said(0, ANSWER, ""));
  }

  @Test
  void treeElsewhere_runsAndLeavesTheCacheOut() throws Exception {
    // A class from a moved cache would believe that it comes from the old path.
    Said said =
        run(
            Map.of("TPU_BOOTD_JVM_OPTIONS", "-Xlog:class+load:stderr"),
            List.of(tree.resolve("usr/bin/tpu-bootd").toString(), "--version"));
    assertThat(said.out()).isEqualTo(ANSWER);
    assertThat(said.err()).doesNotContain("shared objects file").contains("source: file:");
  }

  @Test
  void launcher_runsThroughALinkOfSomebodys() throws Exception {
    Path link = Files.createSymbolicLink(tree.resolve("tb"), tree.resolve("usr/bin/tpu-bootd"));
    assertThat(run(link.toString(), "--version")).isEqualTo(new Said(0, ANSWER, ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
  void launcher_isDeafToOptionsForOtherPrograms(String variable) throws Exception {
    Said said =
        run(
            Map.of(variable, "-XX:+NoSuchOption", "TPU_BOOTD_JVM_OPTIONS", "-XX:AOTMode=on"),
            List.of(
                PACKAGING.resolve("at-final-path").toString(),
                tree.toString(),
                PROGRAM,
                "--version"));
    assertThat(said).isEqualTo(new Said(0, ANSWER, ""));
  }

  @Test
  void launcher_becomesTheJvm() throws Exception {
    // systemd listens to the main process only: the pid must be the launcher's.
    String script = "echo $$ && exec \"$0\" --version";
    Said said =
        run(
            Map.of("TPU_BOOTD_JVM_OPTIONS", "-Xlog:os=info:stdout:pid"),
            List.of("sh", "-c", script, tree.resolve("usr/bin/tpu-bootd").toString()));
    String pid = said.ok().out().lines().findFirst().orElseThrow();
    assertThat(said.out()).contains("[" + pid + "]");
  }

  @Test
  void build_refusesACacheOfOtherJars(@TempDir Path other) throws Exception {
    for (String part : List.of("stage", "made-from", "tpu-bootd.aot")) {
      run("cp", "-a", TARGET.resolve(part).toString(), other.toString()).ok();
    }
    Files.writeString(
        other.resolve("stage").resolve(HOME).resolve("lib/guava-33.4.8-jre.jar"), "another");
    var environment =
        Map.of(
            "TARGET",
            other.toString(),
            "VERSION",
            VERSION,
            "TIMESTAMP",
            System.getProperty("tpubootd.timestamp"),
            "COMPRESSION",
            "0");
    var command = new ArrayList<>(List.of(PACKAGING.resolve("build").toString(), "deb"));
    Said said = run(environment, command);
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err()).contains("have changed since the cache was made");
    assertThat(STAGE).exists();
  }

  @Test
  void machineThatPermitsNoMount_getsAPackageWithoutACacheAndIsTold(@TempDir Path other)
      throws Exception {
    for (String part : List.of("stage", "made-from")) {
      run("cp", "-a", TARGET.resolve(part).toString(), other.toString()).ok();
    }
    Files.deleteIfExists(other.resolve("stage").resolve(HOME).resolve("tpu-bootd.aot"));
    Files.deleteIfExists(other.resolve("stage").resolve(HOME).resolve("tpu-bootd.aot.sha256"));
    Path unshare = Files.createDirectory(other.resolve("bin")).resolve("unshare");
    Files.writeString(unshare, "#!/bin/sh\nexit 1\n");
    assertThat(unshare.toFile().setExecutable(true)).isTrue();
    var environment =
        Map.of(
            "PATH",
            unshare.getParent() + ":" + System.getenv("PATH"),
            "TARGET",
            other.toString(),
            "VERSION",
            VERSION,
            "TIMESTAMP",
            System.getProperty("tpubootd.timestamp"),
            "COMPRESSION",
            "0");

    Said maker =
        run(
            environment,
            List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                PROJECT.resolve("tests/target/classes")
                    + ":"
                    + PROJECT.resolve("tests/target/lib/*"),
                "org.tpubootd.testbed.CacheMaker",
                PROJECT.toString(),
                other.toString()));
    assertThat(maker.ok().out()).contains("the package is made without a cache");
    run(environment, List.of(PACKAGING.resolve("build").toString(), "deb")).ok();

    Path unpacked = other.resolve("unpacked");
    try (var debs = Files.newDirectoryStream(other, "*.deb")) {
      run("dpkg-deb", "-x", debs.iterator().next().toString(), unpacked.toString()).ok();
    }
    assertThat(unpacked.resolve(HOME).resolve("tpu-bootd.aot")).doesNotExist();
    tree = unpacked;
    assertThat(atFinalPath("")).isEqualTo(new Said(0, ANSWER, ""));
  }
}
