package org.tpubootd.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.FilesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.core.Step;

/** Tests for {@link EnvironmentFile}. */
class EnvironmentFileTest {

  @TempDir Path directory;
  private Path file;
  private final Map<String, String> variables = new LinkedHashMap<>();

  @BeforeEach
  void setUp() throws IOException {
    file = Files.createDirectory(directory.resolve("etc")).resolve("environment");
    variables.put("CLOUDSDK_PYTHON", "/usr/bin/python3");
    variables.put("GCS_RESOLVE_REFRESH_SECS", "60");
  }

  private EnvironmentFile component() {
    return new EnvironmentFile(new HostRoot(directory), new FilesConfig("tpu-runtime", variables));
  }

  private Finding pass() throws Exception {
    return component().plan().carryOut(_ -> {});
  }

  private Map<String, String> byPam() throws IOException {
    return PamEnvGrammar.read(Files.readAllBytes(file));
  }

  @Test
  void pass_missingFile_isMade() throws Exception {
    var found = pass();

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.summary()).isEqualTo("/etc/environment sets 2 variables");
    assertThat(byPam()).containsExactlyInAnyOrderEntriesOf(variables);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r--r--");
  }

  @Test
  void pass_again_touchesNothing() throws Exception {
    Files.writeString(file, "PATH=/usr/bin");
    pass();
    Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));

    assertThat(component().plan().steps()).isEmpty();
    pass();

    assertThat(Files.getLastModifiedTime(file)).isEqualTo(FileTime.from(Instant.EPOCH));
    assertThat(file).content().endsWith("\nPATH=/usr/bin");
  }

  @Test
  void plan_tellsAndChangesNothing() throws Exception {
    Files.writeString(file, "PATH=/usr/bin\n");

    assertThat(component().plan().steps())
        .containsExactly(new Step("write /etc/environment", "its content differs"));
    assertThat(file).hasContent("PATH=/usr/bin\n");
  }

  @Test
  void pass_keepsModeOfTheFile() throws Exception {
    Files.writeString(file, "PATH=/usr/bin\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

    pass();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void pass_substringOfAKeyIsAnotherKey() throws Exception {
    Files.writeString(file, "CLOUDSDK_PYTHON_SITEPACKAGES=1\n");

    assertThat(pass().notes()).isEmpty();
    assertThat(byPam())
        .containsEntry("CLOUDSDK_PYTHON", "/usr/bin/python3")
        .containsEntry("CLOUDSDK_PYTHON_SITEPACKAGES", "1");
  }

  @Test
  void pass_setByHand_isKeptAndTold() throws Exception {
    String theirs = "export CLOUDSDK_PYTHON=\"/opt/python\"\nX=1\nCLOUDSDK_PYTHON=/b\n";
    Files.writeString(file, theirs);

    var found = pass();

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.summary()).isEqualTo("/etc/environment sets 1 variable; 1 is set by hand");
    assertThat(found.notes())
        .containsExactly(
            "CLOUDSDK_PYTHON is set by hand in /etc/environment, line 1 and 1 more; it is kept");
    assertThat(Files.readString(file)).endsWith(theirs);
    assertThat(byPam())
        .containsEntry("CLOUDSDK_PYTHON", "/b")
        .containsEntry("GCS_RESOLVE_REFRESH_SECS", "60");
  }

  @Test
  void pass_changedAndRemovedKeys() throws Exception {
    Files.writeString(file, "X=1\n");
    pass();
    variables.remove("CLOUDSDK_PYTHON");
    variables.put("GCS_RESOLVE_REFRESH_SECS", "90");
    pass();

    assertThat(byPam())
        .containsOnly(Map.entry("GCS_RESOLVE_REFRESH_SECS", "90"), Map.entry("X", "1"));

    variables.clear();
    pass();
    assertThat(Files.readString(file)).isEqualTo("X=1\n");
  }

  @Test
  void pass_nothingToSet_makesNoFile() throws Exception {
    variables.clear();

    assertThat(pass().state()).isEqualTo(State.OK);
    assertThat(file).doesNotExist();
  }

  @Test
  void pass_whatPamCannotHold_isLeftOutAndTold() throws Exception {
    variables.put("HASH", "a#b");
    variables.put("not-a-name", "1");

    var found = pass();

    assertThat(found.notes())
        .containsExactly(
            "HASH is not set in /etc/environment: pam_env takes # for the start of a comment,"
                + " even in quotes",
            "not-a-name is not set in /etc/environment: it is no name for a variable");
    assertThat(byPam()).containsOnlyKeys("CLOUDSDK_PYTHON", "GCS_RESOLVE_REFRESH_SECS");
  }

  @Test
  void pass_damagedBlock_isRefusedAndNothingChanged() throws Exception {
    String damaged = "X=1\n# BEGIN tpu-bootd\nCLOUDSDK_PYTHON=/usr/bin/python3\nY=2\n";
    Files.writeString(file, damaged);

    var found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause())
        .isEqualTo(
            "/etc/environment: the block that begins in line 2 (# BEGIN tpu-bootd) has no end"
                + " (# END tpu-bootd)");
    assertThat(Files.readString(file)).isEqualTo(damaged);
  }

  @Test
  void pass_changedByAnEditorBetweenLookAndWrite_isNotOverwritten() throws Exception {
    Files.writeString(file, "X=1\n");
    var plan = component().plan();
    Files.writeString(file, "X=2\n");

    var found = plan.carryOut(_ -> {});

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(Files.readString(file)).isEqualTo("X=2\n");
    assertThat(pass().state()).isEqualTo(State.OK);
    assertThat(byPam()).containsEntry("X", "2");
  }

  /** As the page's scripts leave it: appended at each boot, glued to a line without an end. */
  @Test
  void pass_afterThePagesScripts() throws Exception {
    Files.writeString(
        file, "PATH=/usr/binGCS_RESOLVE_REFRESH_SECS=60\nGCS_RESOLVE_REFRESH_SECS=60\n");

    var found = pass();

    assertThat(found.notes()).hasSize(1).first().asString().contains("line 2");
    assertThat(byPam()).containsEntry("GCS_RESOLVE_REFRESH_SECS", "60");
  }
}
