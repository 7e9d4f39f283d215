package org.tpubootd.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tpubootd.config.FilesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.State;
import org.tpubootd.core.Step;
import org.tpubootd.metadata.Reading.Status;

/** Tests for {@link TpuEnvFile}. */
class TpuEnvFileTest {

  private static final String GOOD = "ZONE: 'us-east5-a'\nWORKER_ID: '0'\n";

  @TempDir Path directory;
  private final Answers answers = new Answers();
  private boolean noTpuHere;
  private final TpuEnvSource source = new TpuEnvSource(answers);

  private TpuEnvFile component() {
    return new TpuEnvFile(
        new HostRoot(directory), new FilesConfig("tpu-runtime", Map.of()), source, () -> noTpuHere);
  }

  private Finding pass() throws Exception {
    return component().plan().carryOut(_ -> {});
  }

  private Path values() {
    return directory.resolve("home/tpu-runtime/tpu-env");
  }

  private Path raw() {
    return directory.resolve("etc/tpu/tpu-env");
  }

  @Test
  void pass_noTpuVm_isInertAndSaysWhy() throws Exception {
    noTpuHere = true;
    answers.fail("tpu-env", Status.ABSENT, "asking for tpu-env: 404");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.INERT);
    assertThat(found.summary()).isEqualTo("no TPU VM: there is neither a tpu-env nor a TPU");
    assertThat(found.cause()).startsWith("asking for tpu-env: 404; ");
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"PENDING", "UNREACHABLE"})
  void pass_noTpuButNobodySaysThatThereIsNoTpuEnv_waits(Status status) throws Exception {
    noTpuHere = true;
    answers.fail("tpu-env", status, "no answer");

    assertThat(pass().state()).isEqualTo(State.WAITING);
  }

  @Test
  void part_isRequiredOnTheHost() {
    assertThat(component().part()).isEqualTo(new Part("tpu-env", Part.Group.HOST, true));
  }

  @Test
  void pass_writesBothForms() throws Exception {
    answers.give("tpu-env", GOOD.stripTrailing());

    var found = pass();

    assertThat(values()).hasContent("ZONE=\"us-east5-a\"\nWORKER_ID=\"0\"\n");
    assertThat(Files.readString(raw())).isEqualTo(GOOD.stripTrailing());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(values())))
        .isEqualTo("rw-r--r--");
    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.summary()).isEqualTo("/home/tpu-runtime/tpu-env holds 2 keys");
    assertThat(found.notes()).isEmpty();
    assertThat(found.facts()).containsEntry("keys", List.of("ZONE", "WORKER_ID"));
  }

  @Test
  void pass_keyThatIsLeftOut_isNotCounted() throws Exception {
    answers.give("tpu-env", GOOD + "ODD: '\uFDD0'\n");

    var found = pass();

    assertThat(found.summary()).isEqualTo("/home/tpu-runtime/tpu-env holds 2 keys, 1 left out");
    assertThat(found.facts()).containsEntry("keys", List.of("ZONE", "WORKER_ID"));
    assertThat(found.notes()).singleElement().asString().startsWith("ODD is left out");
  }

  @Test
  void plan_showsTheStepsAndChangesNothing() throws Exception {
    answers.give("tpu-env", GOOD);

    var plan = component().plan();

    assertThat(plan.steps())
        .containsExactly(
            new Step("write /home/tpu-runtime/tpu-env", "it is missing"),
            new Step("write /etc/tpu/tpu-env", "it is missing"));
    assertThat(plan.now().state()).isEqualTo(State.WAITING);
    assertThat(directory).isEmptyDirectory();
    plan.carryOut(_ -> {});
    assertThat(component().plan().steps()).isEmpty();
  }

  @Test
  void pass_ownerWhereItExists() throws Exception {
    assumeTrue(Owner.thisProcessIsRoot(), "needs root");
    Files.createDirectories(directory.resolve("etc"));
    Files.writeString(directory.resolve("etc/passwd"), "tpu-runtime:x:2000:2000::/:/bin/sh\n");
    answers.give("tpu-env", GOOD);

    pass();

    assertThat(Files.getAttribute(values(), "unix:uid")).isEqualTo(2000);
    assertThat(Files.getAttribute(values().getParent(), "unix:uid")).isEqualTo(2000);
    assertThat(Files.getAttribute(raw(), "unix:uid")).isEqualTo(0);
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"PENDING", "UNREACHABLE", "ABSENT"})
  void pass_noTextYet_waits(Status status) throws Exception {
    answers.fail("tpu-env", status, "the server is asleep");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.WAITING);
    assertThat(found.cause()).isEqualTo("the server is asleep");
    assertThat(found.action()).isEqualTo("do something");
    assertThat(found.summary()).doesNotContain("earlier");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void pass_noTextYet_tellsOfAnEarlierFile() throws Exception {
    Files.createDirectories(values().getParent());
    Files.writeString(values(), "OLD=\"1\"\n");
    answers.fail("tpu-env", Status.UNREACHABLE, "the server is asleep");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.WAITING);
    assertThat(found.summary())
        .isEqualTo("the metadata server is away; the file of an earlier boot is there");
    assertThat(values()).hasContent("OLD=\"1\"\n");
  }

  @Test
  void pass_refused_fails() throws Exception {
    answers.fail("tpu-env", Status.REFUSED, "the server said 403");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).isEqualTo("the server said 403");
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"UNREACHABLE", "ABSENT", "REFUSED"})
  void pass_serverAwayAfterwards_staysOkWithANote(Status status) throws Exception {
    answers.give("tpu-env", GOOD);
    pass();
    answers.fail("tpu-env", status, "the server is asleep");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .containsExactly("the files hold the last tpu-env received: the server is asleep");
    assertThat(values()).isNotEmptyFile();
  }

  @Test
  void pass_nonsenseAfterwards_keepsTheLastGoodOne() throws Exception {
    answers.give("tpu-env", GOOD);
    pass();
    var before = Files.getLastModifiedTime(values());
    answers.give("tpu-env", "<html>502</html>");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause())
        .isEqualTo(
            "the metadata server sent something else: line 1: it is HTML or XML, not KEY: 'VALUE'"
                + " lines");
    assertThat(values()).hasContent("ZONE=\"us-east5-a\"\nWORKER_ID=\"0\"\n");
    assertThat(raw()).hasContent(GOOD);
    assertThat(Files.getLastModifiedTime(values())).isEqualTo(before);
    assertThat(source.read().orElseThrow().value("ZONE")).contains("us-east5-a");

    answers.give("tpu-env", GOOD);
    assertThat(pass().state()).isEqualTo(State.OK);
  }

  @Test
  void pass_nonsenseFromTheStart_touchesNothing() throws Exception {
    Files.createDirectories(values().getParent());
    Files.writeString(values(), "OLD=\"1\"\n");
    answers.give("tpu-env", "nonsense");

    assertThat(pass().state()).isEqualTo(State.FAILED);
    assertThat(values()).hasContent("OLD=\"1\"\n");
    assertThat(raw()).doesNotExist();
    assertThat(source.read()).isEmpty();
  }

  @Test
  void pass_changedAttribute_isWritten() throws Exception {
    answers.give("tpu-env", GOOD);
    pass();
    answers.give("tpu-env", GOOD + "NEW: '$(x)'\n");

    var found = pass();

    assertThat(Files.readString(values())).endsWith("NEW=\"\\$(x)\"\n");
    assertThat(found.notes())
        .containsExactly("NEW: cut reads it with the backslashes that keep bash from acting on it");
  }

  @Test
  void pass_somebodySpoiledTheFile_isPutRight() throws Exception {
    answers.give("tpu-env", GOOD);
    pass();
    Files.writeString(values(), "");

    assertThat(component().plan().steps())
        .containsExactly(new Step("write /home/tpu-runtime/tpu-env", "its content differs"));
    pass();
    assertThat(values()).isNotEmptyFile();
  }

  @Test
  void pass_oneFileRefused_theOtherIsWritten() throws Exception {
    Files.createDirectories(values());
    answers.give("tpu-env", GOOD);

    var found = pass();

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause())
        .isEqualTo("/home/tpu-runtime/tpu-env is a directory, not a file; remove it");
    assertThat(raw()).hasContent(GOOD);
  }
}
