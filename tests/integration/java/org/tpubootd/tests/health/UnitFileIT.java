package org.tpubootd.tests.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;

/** The unit file by systemd's own judgement, in a root with this machine's units beside it. */
@Tag("real")
@NeedsPart(Part.SYSTEMD_ANALYZE)
class UnitFileIT {

  private static final String UNITS = "usr/lib/systemd/system";
  private static final String UNIT = "tpu-bootd.service";

  @TempDir Path root;

  /** What systemd-analyze said, and how it ended. */
  private record Said(int code, String text) {}

  @BeforeEach
  void installIntoTheRoot() throws IOException {
    Path units = Files.createDirectories(root.resolve(UNITS));
    try (DirectoryStream<Path> machine = Files.newDirectoryStream(Path.of("/").resolve(UNITS))) {
      for (Path unit : machine) {
        if (Files.isRegularFile(unit)) {
          Files.copy(unit, units.resolve(unit.getFileName().toString()));
        }
      }
    }
    Files.copy(project().resolve("systemd").resolve(UNITS).resolve(UNIT), units.resolve(UNIT));
    program("usr/bin/tpu-bootd");
    program("bin/kill");
    Path wants =
        Files.createDirectories(root.resolve("etc/systemd/system/multi-user.target.wants"));
    Files.createSymbolicLink(wants.resolve(UNIT), Path.of("/" + UNITS, UNIT));
  }

  private void program(String path) throws IOException {
    Path program = root.resolve(path);
    Files.createDirectories(program.resolveSibling("."));
    Files.writeString(program, "#!/bin/sh\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  /** Where .mvn lies: the tests are run in their module's directory or above it. */
  private static Path project() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(directory.resolve(".mvn"))) {
      directory = Objects.requireNonNull(directory.getParent(), "no .mvn above the tests");
    }
    return directory;
  }

  private Said analyze(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("systemd-analyze", "--root=" + root));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Said(process.waitFor(), text);
  }

  @Test
  void verify_hasNothingToSay() throws Exception {
    assertThat(analyze("verify", "--man=no", UNIT)).isEqualTo(new Said(0, ""));
  }

  @Test
  void verify_wholeBoot_hasNoOrderingCycle() throws Exception {
    assertThat(analyze("verify", "--man=no", "multi-user.target").text())
        .doesNotContain("cycle")
        .doesNotContain("tpu-bootd");
  }

  /** The units of a Debian with cloud-init, enabled as cloud-init's own generator does it. */
  private void addCloudInitAndDocker() throws Exception {
    var make =
        new ProcessBuilder(project().resolve("tests/minimal-debian").toString(), "cloud-init")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String archive = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(make.waitFor()).isZero();
    var unpack =
        new ProcessBuilder(
                "tar",
                "-C",
                root.toString(),
                "-xf",
                archive.strip(),
                "--wildcards",
                "./usr/lib/systemd/system/cloud-*",
                "./etc/systemd/system/cloud-init.target.wants")
            .inheritIO()
            .start();
    assertThat(unpack.waitFor()).isZero();
    Path wants = root.resolve("etc/systemd/system/multi-user.target.wants");
    for (String unit : List.of("cloud-init.target", "docker.service")) {
      assertThat(root.resolve(UNITS).resolve(unit)).exists();
      Files.createSymbolicLink(wants.resolve(unit), Path.of("/" + UNITS, unit));
    }
  }

  @Test
  @NeedsPart({Part.SYSTEMD_ANALYZE, Part.DOCKERD, Part.MMDEBSTRAP, Part.ROOT})
  void verify_bootWithCloudInitAndDocker_hasNoOrderingCycle() throws Exception {
    addCloudInitAndDocker();

    assertThat(analyze("verify", "--man=no", "multi-user.target").text())
        .doesNotContain("cycle")
        .doesNotContain("tpu-bootd");

    // That it would be told: cloud-init's last unit comes after multi-user.target.
    Path unit = root.resolve(UNITS).resolve(UNIT);
    Files.writeString(
        unit, Files.readString(unit).replace("[Unit]\n", "[Unit]\nAfter=cloud-final.service\n"));
    assertThat(analyze("verify", "--man=no", "multi-user.target").text()).contains("cycle");
  }

  @Test
  void verify_wrongKey_isFound() throws Exception {
    Path unit = root.resolve(UNITS).resolve(UNIT);
    Files.writeString(unit, Files.readString(unit).replace("WatchdogSec=", "WatchDogSec="));
    assertThat(analyze("verify", "--man=no", UNIT).text()).contains("Unknown key");
  }

  @Test
  void security_exposureIsAtMostFour() throws Exception {
    Said said = analyze("security", "--offline=true", "--threshold=40", "--no-pager", UNIT);
    assertThat(said.code()).as(said.text()).isZero();
  }
}
