package org.tpubootd.tests.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.packaging.BuiltPackage.STAGE;
import static org.tpubootd.tests.packaging.BuiltPackage.deb;
import static org.tpubootd.tests.packaging.BuiltPackage.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.packaging.BuiltPackage.Said;

/** The last step of an image build: the package in a minimal Debian, looked at by its own check. */
@Tag("real")
@Tag("package")
@NeedsPart({Part.DPKG_DEB, Part.ROOT, Part.MMDEBSTRAP, Part.MOUNT_NAMESPACE})
class ImageCheckIT {

  private static final String WANTS = "/etc/systemd/system/multi-user.target.wants/";

  private Chroot debian;

  @BeforeEach
  void install() throws Exception {
    debian = Chroot.make();
    debian.install(deb()).ok();
  }

  @AfterEach
  void removeDebian() throws Exception {
    debian.close();
  }

  private Said inside() throws Exception {
    return debian.inside("tpu-bootd", "check", "--image", "--json");
  }

  /** By the program of the build, on the machine that builds the image. */
  private Said outside() throws Exception {
    return run(
        STAGE.resolve("usr/bin/tpu-bootd").toString(),
        "check",
        "--image",
        "--json",
        "--root",
        debian.file("/").toString());
  }

  private static JsonNode document(Said said) throws Exception {
    return new ObjectMapper().readTree(said.out());
  }

  /** The worst of each check's results. */
  private static Map<String, String> severities(Said said) throws Exception {
    var severities = new TreeMap<String, String>();
    for (JsonNode result : document(said).path("checks")) {
      severities.merge(
          result.path("check").asText(),
          result.path("severity").asText(),
          (one, other) -> one.equals("error") || other.equals("error") ? "error" : "warning");
    }
    return severities;
  }

  private void program(String path) throws Exception {
    debian.write(path, "program");
    Files.setPosixFilePermissions(debian.file(path), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** What a minimal Debian lacks of what a TPU image must have. */
  private void addTheRest() throws Exception {
    program("/usr/lib/systemd/systemd");
    program("/usr/sbin/dockerd");
    debian.write("/usr/lib/systemd/system/docker.service", "[Unit]\n");
    Files.createSymbolicLink(
        debian.file(WANTS + "docker.service"), Path.of("/lib/systemd/system/docker.service"));
    debian.write("/etc/ssl/certs/ca-certificates.crt", "certificates");
  }

  @Test
  void minimalDebian_lacksSystemdEngineAndCertificates() throws Exception {
    Said inside = inside();

    assertThat(inside.code()).as(inside.toString()).isEqualTo(1);
    assertThat(inside.err()).isEmpty();
    assertThat(severities(inside))
        .containsEntry("package", "ok")
        .containsEntry("configuration", "ok")
        .containsEntry("user", "ok")
        .containsEntry("session limits", "ok")
        .containsEntry("service limits", "ok")
        .containsEntry("environment", "ok")
        .containsEntry("other scripts", "ok")
        .containsEntry("leftovers", "ok")
        // Not errors: such an image may be booted with a kernel from outside.
        .containsEntry("kernel", "warning")
        .containsEntry("kernel arguments", "warning")
        .containsEntry("service", "error")
        .containsEntry("engine", "error")
        .containsEntry("images", "error");
  }

  @Test
  void fromOutside_isAsFromInside() throws Exception {
    var inside = (ObjectNode) document(inside());
    var outside = (ObjectNode) document(outside());

    assertThat(outside.remove("root").asText()).isEqualTo(debian.file("/").toString());
    assertThat(inside.remove("root").asText()).isEqualTo("/");
    assertThat(outside).isEqualTo(inside);
  }

  @Test
  void withTheRest_isGood() throws Exception {
    addTheRest();

    Said said = debian.inside("tpu-bootd", "check", "--image");

    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.out()).contains("This is a good TPU image.");
    assertThat(outside().code()).isZero();
  }

  @Test
  void check_changesNothing() throws Exception {
    String before = debian.everything();

    inside();
    outside();

    assertThat(debian.everything()).isEqualTo(before);
  }

  @Test
  void whatIsBrokenAfterwards_isFound() throws Exception {
    addTheRest();
    Files.delete(debian.file(WANTS + "tpu-bootd.service"));
    debian.write("/usr/lib/udev/rules.d/60-tpu-bootd.rules", "# nothing\n");
    debian.write("/home/tpu-runtime/tpu-env", "A=\"B\"\n");

    Said inside = inside();

    assertThat(inside.code()).isEqualTo(1);
    assertThat(severities(inside))
        .containsEntry("service", "error")
        .containsEntry("package", "warning")
        .containsEntry("leftovers", "warning")
        .containsEntry("engine", "ok");
  }
}
