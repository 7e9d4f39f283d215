package org.tpubootd.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for {@link Workload}. */
class WorkloadTest {

  private static final String OLD_FORM = "w-0:123:10.0.0.10,unknown:unknown:10.0.0.11";
  private static final String NEW_FORM = "slice-a1bc,slice-d2ef";

  static List<String> samples() throws Exception {
    return Samples.names();
  }

  private static Workload of(String tpuEnv, String... attributes) throws Exception {
    var given = new LinkedHashMap<String, String>();
    for (int i = 0; i < attributes.length; i += 2) {
      given.put(attributes[i], attributes[i + 1]);
    }
    return Workload.of(TpuEnv.parse(tpuEnv), key -> Optional.ofNullable(given.get(key)));
  }

  private static Workload ofSample(String name, String... attributes) throws Exception {
    return of(Samples.read(name), attributes);
  }

  private static List<String> missing(Workload workload) {
    return workload.missing().stream().map(Workload.Missing::what).toList();
  }

  @Test
  void of_cloudTpuDialect() throws Exception {
    var workload = ofSample("made-up-v5p-16-worker1.yaml", "worker-network-endpoints", OLD_FORM);

    assertThat(workload.text())
        .isEqualTo(
            """
            TPU_ACCELERATOR_TYPE=v5p-16
            TPU_TOPOLOGY=2x2x2
            WRAP=false,false,false
            TPU_TOPOLOGY_WRAP=false,false,false
            ALT=false
            TPU_TOPOLOGY_ALT=false
            TPU_HOST_BOUNDS=1,1,2
            HOST_BOUNDS=1,1,2
            TPU_CHIPS_PER_HOST_BOUNDS=2,2,1
            CHIPS_PER_HOST_BOUNDS=2,2,1
            TPU_WORKER_ID=1
            TPU_WORKER_HOSTNAMES=10.0.0.10,10.0.0.11
            TPU_RUNTIME_METRICS_PORTS=8431,8432,8433,8434
            TPU_SKIP_MDS_QUERY=true
            """);
    assertThat(workload.notes()).isEmpty();
    assertThat(workload.derived()).isEmpty();
  }

  @Test
  void of_computeEngineDialect_sameNames() throws Exception {
    var workload = ofSample("made-up-tpu7x-16-worker0.yaml", "worker-network-endpoints", NEW_FORM);

    assertThat(workload.variables())
        .containsEntry("TPU_ACCELERATOR_TYPE", "tpu7x-16")
        .containsEntry("TPU_WORKER_ID", "0")
        .containsEntry("TPU_WORKER_HOSTNAMES", NEW_FORM)
        .containsEntry("TPU_HOST_BOUNDS", "1,1,2")
        .containsEntry("TPU_CHIPS_PER_HOST_BOUNDS", "2,2,1")
        .containsEntry("TPU_TOPOLOGY_WRAP", "false,false,false")
        .containsEntry("ENABLE_ICI_RESILIENCY", "false")
        .containsEntry("TPU_SKIP_MDS_QUERY", "true");
  }

  @Test
  void of_singleHost_isLocalhost() throws Exception {
    var workload =
        ofSample("02-v6e-1-gce-instance-full.yaml", "worker-network-endpoints", "instance-1");

    assertThat(workload.variables())
        .containsEntry("TPU_WORKER_HOSTNAMES", "localhost")
        .containsEntry("TPU_SKIP_MDS_QUERY", "true");
    assertThat(ofSample("02-v6e-1-gce-instance-full.yaml").variables())
        .isEqualTo(workload.variables());
  }

  /** PyTorch/XLA would keep to them and not make a process for each chip; see RATIONALE.md. */
  @Test
  void of_processBounds_areNotPassedOn() throws Exception {
    var workload = ofSample("01-v4-256-cloud-tpu-api-full.yaml");

    assertThat(workload.variables())
        .containsEntry("TPU_HOST_BOUNDS", "2,2,8")
        .doesNotContainKeys("TPU_PROCESS_BOUNDS", "TPU_CHIPS_PER_PROCESS_BOUNDS");
  }

  @ParameterizedTest
  @MethodSource("samples")
  void of_everySample_onlyWhatAllReadersReadAlike(String sample) throws Exception {
    var workload = ofSample(sample);

    assertThat(workload.text().lines())
        .allMatch(line -> line.matches("[A-Z_]+=[A-Za-z0-9,./:_-]+"));
    assertThat(SystemdEnvGrammar.read(workload.text().getBytes(UTF_8)))
        .containsExactlyEntriesOf(workload.variables());
    assertThat(workload.variables().containsKey("TPU_SKIP_MDS_QUERY"))
        .isEqualTo(workload.missing().isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # sample                                      | workers | hosts | chips
          03-v6e-8-gce-mig-slice-partial.yaml           | -       | 1,2,1 | 2,2,1
          07-v5litepod-8-singlehost-dra-fixture.yaml    | -       | 1,1,1 | 2,4,1
          08-v6e-16-multihost-dra-fixture.yaml          | -       | 2,2,1 | 2,2,1
          09-v6e-16-multihost-runbook-partial.yaml      | -       | -     | -
          09-v6e-16-multihost-runbook-partial.yaml      | 4       | 2,2,1 | 2,2,1
          09-v6e-16-multihost-runbook-partial.yaml      | 2       | 2,1,1 | 2,4,1
          09-v6e-16-multihost-runbook-partial.yaml      | 3       | -     | -
          11-v3-8-minimal-no-bounds.yaml                | -       | 1,1,1 | 2,2,1
          made-up-v2-8.yaml                             | 1       | 1,1,1 | 2,2,1
          14-v6e-4-tpu-ubuntu2204-base-vbar-empty-partial.yaml | - | -    | -
          """)
  void of_missingBounds_whatFollowsAndNothingElse(
      String sample, Integer workers, String hosts, String chips) throws Exception {
    var workload =
        workers == null
            ? ofSample(sample)
            : ofSample(sample, "worker-network-endpoints", names(workers));

    assertThat(workload.variables().get("TPU_HOST_BOUNDS")).isEqualTo(hosts);
    assertThat(workload.variables().get("TPU_CHIPS_PER_HOST_BOUNDS")).isEqualTo(chips);
  }

  private static String names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "w" + i).collect(Collectors.joining(","));
  }

  @Test
  void of_v3_32_shapeDoesNotFollow() throws Exception {
    var workload =
        of("ACCELERATOR_TYPE: v3-32\nWORKER_ID: 0\n", "worker-network-endpoints", "a,b,c,d");

    assertThat(workload.variables())
        .containsEntry("TPU_CHIPS_PER_HOST_BOUNDS", "2,2,1")
        .doesNotContainKeys("TPU_HOST_BOUNDS", "TPU_SKIP_MDS_QUERY");
    assertThat(workload.notes())
        .containsExactly(
            "TPU_SKIP_MDS_QUERY is left out; a job has to ask the metadata server for: host"
                + " bounds");
    assertThat(workload.derived()).containsExactly("TPU_CHIPS_PER_HOST_BOUNDS");
  }

  @Test
  void of_fallsBackToTheOtherAttributes() throws Exception {
    var workload =
        of(
            "TOPOLOGY: 2x2x2\n",
            "accelerator-type",
            "v7x-16\n",
            "worker-id",
            "1",
            "worker-network-endpoints",
            NEW_FORM);

    assertThat(workload.variables())
        .containsEntry("TPU_ACCELERATOR_TYPE", "tpu7x-16")
        .containsEntry("TPU_WORKER_ID", "1")
        .containsEntry("TPU_HOST_BOUNDS", "1,1,2")
        .containsEntry("TPU_SKIP_MDS_QUERY", "true");
    assertThat(of("A: 1\n", "agent-worker-number", "3", "worker-id", "3").variables())
        .containsEntry("TPU_WORKER_ID", "3");
  }

  @Test
  void of_emptyTextIsNoValue() throws Exception {
    var workload = of("ACCELERATOR_TYPE: ''\nWORKER_ID: ''\n", "accelerator-type", "v6e-1");

    assertThat(workload.variables())
        .containsEntry("TPU_ACCELERATOR_TYPE", "v6e-1")
        .doesNotContainKey("TPU_WORKER_ID");
    assertThat(missing(workload))
        .containsExactly("host bounds", "chips per host bounds", "worker id", "worker host names");
  }

  @Test
  void of_multislice() throws Exception {
    var workload =
        of(
            """
            MEGASCALE_NUM_SLICES: '2'
            MEGASCALE_SLICE_ID: '1'
            MEGASCALE_COORDINATOR_ADDRESS: '10.0.0.1:8080'
            """);

    assertThat(workload.text())
        .isEqualTo(
            """
            MEGASCALE_NUM_SLICES=2
            MEGASCALE_SLICE_ID=1
            MEGASCALE_COORDINATOR_ADDRESS=10.0.0.1:8080
            """);
  }

  @Test
  void of_moreWorkersThanTheBoundsMake() throws Exception {
    var workload = ofSample("made-up-v5p-16-worker1.yaml", "worker-network-endpoints", "a,b,c");

    assertThat(workload.notes())
        .containsExactly(
            "the metadata server lists 3 workers, but host bounds of 1,1,2 make 2;"
                + " TPU_SKIP_MDS_QUERY and what contradicts is left to the job");
    assertThat(workload.variables())
        .doesNotContainKeys("TPU_WORKER_HOSTNAMES", "TPU_SKIP_MDS_QUERY");
  }

  @Test
  void of_workerIdBeyondTheList() throws Exception {
    var workload =
        of(
            "ACCELERATOR_TYPE: v5p-16\nTOPOLOGY: 2x2x2\nWORKER_ID: '2'\n",
            "worker-network-endpoints",
            "a,b");

    assertThat(workload.notes())
        .containsExactly(
            "the worker id is 2, but of 2 workers the last has 1;"
                + " TPU_SKIP_MDS_QUERY and what contradicts is left to the job");
    assertThat(workload.variables())
        .doesNotContainKeys("TPU_WORKER_HOSTNAMES", "TPU_SKIP_MDS_QUERY");
  }

  @Test
  void of_workerIdsDiffer() throws Exception {
    var workload =
        ofSample(
            "made-up-v5p-16-worker1.yaml",
            "worker-network-endpoints",
            OLD_FORM,
            "agent-worker-number",
            "0");

    assertThat(workload.notes().getFirst())
        .startsWith("the worker id is 1 in tpu-env and 0 in the attribute of its own");
    assertThat(workload.variables()).doesNotContainKey("TPU_SKIP_MDS_QUERY");
  }

  /** JAX would make a number of the id that is not there, and fail. */
  @Test
  void of_hostNamesOnlyTogetherWithTheWorkerId() throws Exception {
    var workload = of("ACCELERATOR_TYPE: v5p-16\n", "worker-network-endpoints", "a,b");

    assertThat(workload.variables()).doesNotContainKey("TPU_WORKER_HOSTNAMES");
    assertThat(missing(workload)).containsExactly("host bounds", "worker id");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a:b", "a:b:c:d", "a,,b", "", "x:y:", "a b", "a:1:fd00::1", "$(x)"})
  void of_endpointsOfAnotherForm(String endpoints) throws Exception {
    var workload =
        of("ACCELERATOR_TYPE: v5p-16\nWORKER_ID: 0\n", "worker-network-endpoints", endpoints);

    assertThat(workload.variables()).doesNotContainKey("TPU_WORKER_HOSTNAMES");
    assertThat(missing(workload)).contains("worker host names");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "~/x", "a'b", "$(x)", "a;b", "h\u00e9", "a#b", "{a,b}", "a\nb"})
  void of_valueThatReadersReadDifferently(String value) throws Exception {
    var env = new TpuEnv(Map.of("TPU_ACCELERATOR_TYPE", value), List.of());

    var workload = Workload.of(env, _ -> Optional.empty());

    assertThat(workload.variables()).doesNotContainKey("TPU_ACCELERATOR_TYPE");
    assertThat(workload.notes().getFirst())
        .isEqualTo(
            "TPU_ACCELERATOR_TYPE is left out: docker, systemd and bash do not all read its value"
                + " alike");
    assertThat(missing(workload)).contains("accelerator type");
  }

  @Test
  void of_boundsOfAnotherForm() throws Exception {
    var workload = of("HOST_BOUNDS: '2x2'\nCHIPS_PER_HOST_BOUNDS: '0,1,1'\n");

    assertThat(workload.notes())
        .contains(
            "HOST_BOUNDS is left out: '2x2' is not of the form 2,2,1",
            "CHIPS_PER_HOST_BOUNDS is left out: '0,1,1' is not of the form 2,2,1");
    assertThat(workload.text()).isEmpty();
  }

  /** The largest slice there is fits into one line that docker reads, by address; see below. */
  @Test
  void of_theLargestSlice() throws Exception {
    String endpoints =
        IntStream.range(0, 2304)
            .mapToObj(i -> "n-%d:%d:10.%d.%d.200".formatted(i, i, 100 + i / 250, i % 250))
            .collect(Collectors.joining(","));
    String env = "TPU_ACCELERATOR_TYPE: tpu7x-18432\nTPU_WORKER_ID: 7\nTOPOLOGY: 16x24x24\n";

    var workload = of(env, "worker-network-endpoints", endpoints);

    assertThat(workload.variables())
        .containsEntry("TPU_HOST_BOUNDS", "8,12,24")
        .containsEntry("TPU_SKIP_MDS_QUERY", "true");
    assertThat(workload.variables().getOrDefault("TPU_WORKER_HOSTNAMES", "").split(","))
        .hasSize(2304);
  }

  @Test
  void of_lineLongerThanDockerReads() throws Exception {
    String endpoints =
        IntStream.range(0, 2304)
            .mapToObj(i -> "a-name-of-an-instance-in-a-managed-group-%04d".formatted(i))
            .collect(Collectors.joining(","));

    var workload =
        of(
            "TPU_ACCELERATOR_TYPE: tpu7x-18432\nTPU_WORKER_ID: 7\nTOPOLOGY: 16x24x24\n",
            "worker-network-endpoints",
            endpoints);

    assertThat(workload.notes())
        .contains("TPU_WORKER_HOSTNAMES is left out: docker reads no line of 64 KiB or more");
    assertThat(missing(workload)).containsExactly("worker host names");
  }
}
