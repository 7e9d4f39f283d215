package org.tpubootd.tests.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.FilesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.env.TpuEnvSource;
import org.tpubootd.env.WorkloadEnv;
import org.tpubootd.metadata.Attributes;
import org.tpubootd.metadata.Reading;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;

/** The file workload.env, as bash and {@code docker run --env-file} themselves read it. */
class WorkloadEnvReadersIT {

  private static final String IMAGE = "tpu-bootd-test-env:latest";

  @TempDir Path directory;
  private Path host;

  @BeforeEach
  void makeHost() throws IOException {
    host = Files.createDirectory(directory.resolve("host"));
  }

  /** One pass of the real component; returns the variables that it says it has written. */
  private Map<String, String> write(Map<String, String> given) throws Exception {
    Attributes attributes =
        key ->
            given.containsKey(key)
                ? new Reading(Reading.Status.PRESENT, given.get(key), null, null)
                : new Reading(Reading.Status.ABSENT, null, "404", null);
    var found =
        new WorkloadEnv(
                new HostRoot(host),
                new FilesConfig("tpu-runtime", Map.of()),
                new TpuEnvSource(attributes),
                attributes,
                () -> false)
            .plan()
            .carryOut(_ -> {});
    var variables = new LinkedHashMap<String, String>();
    ((Map<?, ?>) Objects.requireNonNull(found.facts().get("variables")))
        .forEach((key, value) -> variables.put((String) key, (String) value));
    return variables;
  }

  private String file() {
    return host.resolve("run/tpu-bootd/workload.env").toString();
  }

  private static Map<String, String> slice(int hosts) {
    return Map.of(
        "tpu-env",
        """
        TPU_ACCELERATOR_TYPE: 'tpu7x-%d'
        TOPOLOGY: '2x2x%d'
        TPU_WORKER_ID: '1'
        TPU_RUNTIME_METRICS_PORTS: '8431,8432,8433,8434'
        WRAP: 'true,true,true'
        MEGASCALE_NUM_SLICES: '2'
        MEGASCALE_SLICE_ID: '1'
        MEGASCALE_COORDINATOR_ADDRESS: '10.0.0.1:8080'
        MEGASCALE_ALL_SAFE: 'azAZ09_.,:/@%%+=-'
        ALT: '~root'
        """
            .formatted(hosts * 8, hosts),
        "worker-network-endpoints",
        IntStream.range(0, hosts)
            .mapToObj(i -> "slice-mig-%06d".formatted(i))
            .collect(Collectors.joining(",")));
  }

  @Test
  @NeedsPart(Part.BASH)
  void bash() throws Exception {
    var variables = write(slice(2));

    assertThat(variables).containsEntry("TPU_SKIP_MDS_QUERY", "true").doesNotContainKey("ALT");
    var run =
        Programs.run(
            directory, List.of("bash", "-euc", "set -a; source \"$0\"; exec env -0", file()));
    assertThat(run.errors()).isEmpty();
    assertThat(Programs.environment(run.output())).containsAllEntriesOf(variables);
  }

  @Test
  @Tag("real")
  @NeedsPart({Part.ENGINE, Part.DOCKER})
  void docker() throws Exception {
    importImage();
    var variables = write(slice(2));

    assertThat(byDocker(file())).containsAllEntriesOf(variables);
  }

  /** The longest list of workers that we write is one that docker still takes. */
  @Test
  @Tag("real")
  @NeedsPart({Part.ENGINE, Part.DOCKER})
  void docker_longestLine() throws Exception {
    importImage();
    String name = "TPU_WORKER_HOSTNAMES";
    int hosts = (64 * 1024 - 1 - name.length() - 1 + 1) / "slice-mig-000000,".length();

    var variables = write(slice(hosts));
    assertThat(variables).containsKey(name);
    assertThat(byDocker(file())).containsAllEntriesOf(variables);

    Path longest =
        Files.writeString(directory.resolve("longest"), "K=" + "x".repeat(65_533) + "\n");
    assertThat(byDocker(longest.toString())).containsEntry("K", "x".repeat(65_533));
    Path longer = Files.writeString(directory.resolve("longer"), "K=" + "x".repeat(65_534) + "\n");
    assertThat(docker("run", "--rm", "--env-file", longer.toString(), IMAGE, "/busybox", "env"))
        .describedAs("one more is refused by docker: our limit is not too narrow")
        .satisfies(run -> assertThat(run.exitCode()).isNotZero())
        .satisfies(run -> assertThat(run.errors()).contains("token too long"));
  }

  private Map<String, String> byDocker(String envFile) throws Exception {
    var run =
        docker("run", "--rm", "--network=none", "--env-file", envFile, IMAGE, "/busybox", "env");
    assertThat(run.exitCode()).describedAs(run.errors()).isZero();
    return Programs.environment(run.output().replace('\n', '\0'));
  }

  private Programs.Run docker(String... arguments) throws Exception {
    var command = new ArrayList<String>();
    command.add("docker");
    command.add("--host=" + System.getenv("TPU_BOOTD_TEST_ENGINE"));
    command.addAll(List.of(arguments));
    return Programs.run(directory, command);
  }

  /** An image with nothing in it but a static busybox: no registry is asked. */
  private void importImage() throws Exception {
    Path busybox =
        Stream.concat(
                Stream.of("/bin/busybox"),
                Stream.of(System.getenv("PATH").split(":")).map(folder -> folder + "/busybox"))
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("no busybox here: install busybox-static"));
    Path content = Files.createDirectory(directory.resolve("image"));
    Files.copy(busybox, content.resolve("busybox"), StandardCopyOption.COPY_ATTRIBUTES);
    Path tar = directory.resolve("image.tar");
    var packed =
        Programs.run(
            directory, List.of("tar", "-C", content.toString(), "-cf", tar.toString(), "busybox"));
    assertThat(packed.exitCode()).describedAs(packed.errors()).isZero();
    var imported = docker("import", tar.toString(), IMAGE);
    assertThat(imported.exitCode()).describedAs(imported.errors()).isZero();
  }
}
