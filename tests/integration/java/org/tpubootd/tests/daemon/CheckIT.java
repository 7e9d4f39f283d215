package org.tpubootd.tests.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.MadeUpHost;

/** {@code tpu-bootd check}, as a process, on a tree that is nearly an image. */
class CheckIT {

  private static final Path PROJECT = Path.of(System.getProperty("tpubootd.project"));
  private static final String ENABLED =
      "/etc/systemd/system/multi-user.target.wants/tpu-bootd.service";

  private MadeUpHost host;
  private Path work;

  @BeforeEach
  void makeHost(@TempDir Path work) throws IOException {
    this.work = work;
    host = new MadeUpHost(PROJECT, work);
  }

  @AfterEach
  void closeHost() throws IOException {
    host.close();
    // JUnit warns of each link that it deletes.
    Files.deleteIfExists(host.file(ENABLED));
  }

  /** What came of a command. */
  private record Outcome(int exitCode, String out, String err) {
    JsonNode json() throws IOException {
      return new ObjectMapper().readTree(out);
    }
  }

  private Outcome run(String... arguments) throws Exception {
    Path out = work.resolve("out");
    Path err = work.resolve("err");
    Process process =
        host.command(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the command did not end: " + String.join(" ", arguments));
    }
    return new Outcome(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  /** The project's files and what else an image must have; containers are switched off. */
  private void makeImage() throws Exception {
    for (String source : List.of("packaging/rootfs", "systemd")) {
      copy(PROJECT.resolve(source));
    }
    program("/usr/lib/tpu-bootd/bin/tpu-bootd");
    Files.createDirectories(host.file("/usr/bin"));
    Files.createSymbolicLink(
        host.file("/usr/bin/tpu-bootd"), Path.of("../lib/tpu-bootd/bin/tpu-bootd"));
    program("/usr/lib/tpu-bootd/tpu-bootd.jar");
    program("/usr/lib/tpu-bootd/runtime/bin/java");
    program("/usr/lib/systemd/systemd");
    Files.createDirectories(host.file(ENABLED).getParent());
    // Absolute, as systemctl makes it: on the builder it leads to nothing.
    Files.createSymbolicLink(
        host.file(ENABLED), Path.of("/usr/lib/systemd/system/tpu-bootd.service"));
    host.configure(
        "50-site", "containers:\n  vbar: {enabled: false}\n  telemetry: {enabled: false}\n");
  }

  private void copy(Path source) throws IOException {
    try (var files = Files.walk(source)) {
      for (Path file :
          files.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)).toList()) {
        Path target = host.root().resolve(source.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
  }

  private void program(String path) throws IOException {
    Path file = host.file(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "program");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void image_withWarningsOnlyEndsWithZero() throws Exception {
    makeImage();

    Outcome check = run("check", "--image");

    assertThat(check.exitCode()).as(check.toString()).isZero();
    assertThat(check.err()).isEmpty();
    assertThat(check.out())
        .contains("\nservice           ok       enabled by multi-user.target\n")
        .contains("\nkernel            warning  no kernel is in /lib/modules\n")
        .contains("\nThis is a good TPU image.\nWarnings: ");
    assertThat(check.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void image_withAnErrorEndsWithOneAndSaysWhatToDo() throws Exception {
    makeImage();
    Files.delete(host.file(ENABLED));

    Outcome check = run("check", "--image");

    assertThat(check.exitCode()).isEqualTo(1);
    assertThat(check.out())
        .contains("    do:    systemctl enable tpu-bootd.service\n")
        .contains("\nThis is not a good TPU image: service.\n");
  }

  @Test
  void image_badConfigurationIsAnErrorOfTheImage() throws Exception {
    makeImage();
    host.configure("90-bad", "containers:\n  vbar:\n    imgae: x\n");

    Outcome check = run("check", "--image", "--json");

    assertThat(check.exitCode()).isEqualTo(1);
    assertThat(result(check, "configuration").path("found").asText())
        .contains("/etc/tpu-bootd/config.d/90-bad.yaml:3")
        .contains("'containers.vbar.imgae'");
  }

  @Test
  void image_jsonHasEveryResultAndTheirNumbers() throws Exception {
    Outcome check = run("check", "--image", "--json");

    JsonNode document = check.json();
    assertThat(check.exitCode()).isEqualTo(1);
    assertThat(document.path("good").asBoolean(true)).isFalse();
    assertThat(document.path("subject").asText()).isEqualTo("image");
    assertThat(document.path("root").asText()).isEqualTo(host.root().toString());
    assertThat(document.path("errors").asInt()).isEqualTo(count(document, "error")).isPositive();
    assertThat(document.path("warnings").asInt())
        .isEqualTo(count(document, "warning"))
        .isPositive();
    assertThat(result(check, "package").path("advice").asText()).isNotBlank();
  }

  private static int count(JsonNode document, String severity) {
    int count = 0;
    for (JsonNode result : document.path("checks")) {
      count += result.path("severity").asText().equals(severity) ? 1 : 0;
    }
    return count;
  }

  private static JsonNode result(Outcome check, String name) throws IOException {
    for (JsonNode result : check.json().path("checks")) {
      if (result.path("check").asText().equals(name)) {
        return result;
      }
    }
    throw new AssertionError("no check " + name + " in " + check);
  }

  @Test
  void image_nothingIsChangedAndNobodyAsked() throws Exception {
    makeImage();
    host.metadata().close();
    Map<String, String> before = everything();

    run("check", "--image");

    assertThat(everything()).isEqualTo(before);
  }

  /** Every file with its time and size, but not what answers differently each time. */
  private Map<String, String> everything() throws IOException {
    var all = new TreeMap<String, String>();
    try (var files = Files.walk(host.root())) {
      for (Path file : files.toList()) {
        var attributes =
            Files.readAttributes(file, "lastModifiedTime,size", LinkOption.NOFOLLOW_LINKS);
        all.put(file.toString(), attributes.toString());
      }
    }
    return all;
  }

  @Test
  void host_addsWhatTheRunningKernelShows() throws Exception {
    makeImage();

    Outcome check = run("check", "--json");

    assertThat(check.json().path("subject").asText()).isEqualTo("host");
    // Four functions that the daemon would bind: nothing that a person has to do.
    assertThat(result(check, "devices").path("severity").asText()).isEqualTo("ok");
    assertThat(result(check, "host").path("severity").asText()).isIn("ok", "warning");
    var names = new ArrayList<String>();
    check.json().path("checks").forEach(result -> names.add(result.path("check").asText()));
    assertThat(names).contains("package", "kernel").doesNotContain("leftovers");
  }

  @Test
  void host_functionsThatCannotBeBoundAreAnError() throws Exception {
    makeImage();
    host.sysfs().switchIommuOff();

    Outcome check = run("check");

    assertThat(check.exitCode()).isEqualTo(1);
    assertThat(check.out())
        .contains("\ndevices           error    ")
        .contains("\nThis is not a working TPU host: devices.\n");
    assertThat(check.out().lines()).allMatch(line -> line.length() <= 80);
  }
}
