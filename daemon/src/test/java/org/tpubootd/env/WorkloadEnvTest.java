package org.tpubootd.env;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.tpubootd.metadata.Reading.Status;

/** Tests for {@link WorkloadEnv}. */
class WorkloadEnvTest {

  @TempDir Path directory;
  private final Answers answers = new Answers();
  private boolean noTpuHere;

  private WorkloadEnv component() {
    return new WorkloadEnv(
        new HostRoot(directory),
        new FilesConfig("tpu-runtime", Map.of()),
        new TpuEnvSource(answers),
        answers,
        () -> noTpuHere);
  }

  private Finding pass() throws Exception {
    return component().plan().carryOut(_ -> {});
  }

  private Path file() {
    return directory.resolve("run/tpu-bootd/workload.env");
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
    assertThat(component().part()).isEqualTo(new Part("workload-env", Part.Group.HOST, true));
  }

  @Test
  void pass_tpuEnvUnknown_waits() throws Exception {
    answers.fail("tpu-env", Status.PENDING, "it is early");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.WAITING);
    assertThat(found.cause()).isEqualTo("it is early");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void pass_allThere() throws Exception {
    answers
        .give("tpu-env", Samples.read("made-up-v5p-16-worker1.yaml"))
        .give("worker-network-endpoints", "a,b");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.summary()).isEqualTo("/run/tpu-bootd/workload.env has all that a job needs");
    assertThat(Files.readString(file())).endsWith("TPU_SKIP_MDS_QUERY=true\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-r--r--");
    assertThat(component().plan().steps()).isEmpty();
  }

  @Test
  void pass_boundsNotAllThere_isOkAndSaysWhatIsMissing() throws Exception {
    answers.give("tpu-env", "ACCELERATOR_TYPE: 'v3-32'\nWORKER_ID: '0'\n");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.summary()).startsWith("/run/tpu-bootd/workload.env lacks: host bounds");
    assertThat(found.notes()).last().asString().startsWith("TPU_SKIP_MDS_QUERY is left out");
  }

  @Test
  void pass_slicesHostsUnknownForGood_isDegraded() throws Exception {
    answers.give("tpu-env", Samples.read("made-up-v5p-16-worker1.yaml"));

    var found = pass();

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary()).isEqualTo("/run/tpu-bootd/workload.env lacks: worker host names");
    assertThat(found.facts()).containsEntry("missing", List.of("worker host names"));
    assertThat(Files.readString(file())).doesNotContain("SKIP").contains("TPU_WORKER_ID=1\n");
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"PENDING", "UNREACHABLE"})
  void pass_whatIsMissingMayStillCome_isWrittenAndWaits(Status status) throws Exception {
    answers
        .give("tpu-env", Samples.read("made-up-v5p-16-worker1.yaml"))
        .fail("worker-network-endpoints", status, "no answer yet");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.WAITING);
    assertThat(found.cause()).isEqualTo("no answer yet");
    assertThat(file()).exists();
  }

  @Test
  void pass_whatIsMissingIsRefused_isDegraded() throws Exception {
    answers
        .give("tpu-env", Samples.read("made-up-v5p-16-worker1.yaml"))
        .fail("worker-network-endpoints", Status.REFUSED, "403");

    assertThat(pass().state()).isEqualTo(State.DEGRADED);
  }

  @Test
  void pass_contradiction_isTold() throws Exception {
    answers
        .give("tpu-env", Samples.read("made-up-v5p-16-worker1.yaml"))
        .give("worker-network-endpoints", "only-one");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.cause()).startsWith("the metadata server lists 1 workers");
    assertThat(found.summary())
        .isEqualTo("/run/tpu-bootd/workload.env is written without what contradicts itself");
    assertThat(found.notes().getFirst()).startsWith("the metadata server lists 1 workers");
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"PENDING", "UNREACHABLE", "REFUSED"})
  void pass_whatIsMissingMayStillCome_keepsTheBetterFileOfBefore(Status status) throws Exception {
    answers
        .give("tpu-env", Samples.read("made-up-v5p-16-worker1.yaml"))
        .give("worker-network-endpoints", "a,b");
    pass();
    String good = Files.readString(file());
    // A new process: nothing was received yet but tpu-env.
    answers.forget("worker-network-endpoints").fail("worker-network-endpoints", status, "503");

    var plan = component().plan();
    var found = plan.carryOut(_ -> {});

    assertThat(plan.steps()).isEmpty();
    assertThat(found.state()).isEqualTo(status == Status.REFUSED ? State.DEGRADED : State.WAITING);
    assertThat(found.summary()).startsWith("/run/tpu-bootd/workload.env is kept as it was");
    assertThat(found.cause()).isEqualTo("503");
    assertThat(Files.readString(file())).isEqualTo(good).contains("TPU_SKIP_MDS_QUERY");

    answers.give("worker-network-endpoints", "c,d");
    assertThat(pass().state()).isEqualTo(State.OK);
    assertThat(file()).content().contains("TPU_WORKER_HOSTNAMES=c,d");
  }

  @Test
  void pass_oneRefusedForGood_stillTakesWhatMakesTheFileBetter() throws Exception {
    answers
        .give("tpu-env", "WORKER_ID: '0'\n")
        .fail("worker-network-endpoints", Status.REFUSED, "403");
    pass();

    answers.give("tpu-env", "WORKER_ID: '0'\nACCELERATOR_TYPE: 'v5p-16'\n");
    pass();

    assertThat(file()).content().contains("TPU_ACCELERATOR_TYPE=v5p-16");
  }

  @Test
  void pass_workerIdBeyondTheLastWorker_isDegraded() throws Exception {
    answers
        .give("tpu-env", "ACCELERATOR_TYPE: 'v5p-16'\nWORKER_ID: '7'\n")
        .give("worker-network-endpoints", "a,b");

    var found = pass();

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.cause()).isEqualTo("the worker id is 7, but of 2 workers the last has 1");
    assertThat(file()).content().doesNotContain("SKIP");
  }

  @Test
  void pass_serverAwayAfterwards_staysAsItWas() throws Exception {
    answers
        .give("tpu-env", Samples.read("made-up-v5p-16-worker1.yaml"))
        .give("worker-network-endpoints", "a,b");
    var component = component();
    component.plan().carryOut(_ -> {});
    answers
        .fail("tpu-env", Status.UNREACHABLE, "away")
        .fail("worker-network-endpoints", Status.UNREACHABLE, "away");

    var plan = component.plan();

    assertThat(plan.steps()).isEmpty();
    assertThat(plan.carryOut(_ -> {}).state()).isEqualTo(State.OK);
  }
}
