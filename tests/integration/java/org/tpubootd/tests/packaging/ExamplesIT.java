package org.tpubootd.tests.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.packaging.BuiltPackage.PACKAGING;
import static org.tpubootd.tests.packaging.BuiltPackage.deb;
import static org.tpubootd.tests.packaging.BuiltPackage.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.FakeEngine;
import org.tpubootd.testbed.FakeMetadata;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.packaging.BuiltPackage.Said;
import org.yaml.snakeyaml.Yaml;

/**
 * The examples, as far as they can be run without Google Cloud: scripts in a minimal Debian, the
 * user data by the real cloud-init.
 */
@Tag("real")
@Tag("package")
@NeedsPart({Part.DPKG_DEB, Part.ROOT, Part.MMDEBSTRAP, Part.MOUNT_NAMESPACE})
class ExamplesIT {

  private static final Path EXAMPLES = PACKAGING.resolve("examples");
  private static final Path TEMPLATE = EXAMPLES.resolve("packer/tpu-image.pkr.hcl");
  private static final Path PROVISION = EXAMPLES.resolve("packer/provision.sh");
  private static final Path USER_DATA = EXAMPLES.resolve("cloud-init/user-data.yaml");
  private static final String VBAR = "gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1";

  /** Stands for apt-get, which would fetch Docker: only packages that lie here are installed. */
  private static final String APT_GET =
      """
      for word in "$@"; do
        case $word in
          /*.deb) dpkg --force-unsafe-io --install "$word" ;;
        esac
      done\
      """;

  /** As it is in the shell script, which is run, too. */
  @Test
  void packerTemplate_isWhole() throws Exception {
    String template = Files.readString(TEMPLATE);
    String bare = template.replaceAll("(?m)#.*$", "").replaceAll("\"[^\"\n]*\"", "\"\"");
    for (String pair : List.of("{}", "[]", "()")) {
      assertThat(count(bare, pair.charAt(0))).as(pair).isEqualTo(count(bare, pair.charAt(1)));
    }
    assertThat(count(template, '"') % 2).isZero();
    assertThat(find(template, "\\bvar\\.([a-z_]+)"))
        .isEqualTo(find(template, "(?m)^variable \"([a-z_]+)\" \\{$"));
    assertThat(find(template, "\\$\\{path\\.root}/([a-z.]+)")).containsExactly("provision.sh");
    // Without a block's end a key would stand at another depth.
    assertThat(bare.lines().filter(line -> line.matches("[a-z].*")))
        .allMatch(line -> line.matches("(packer|locals|build|variable \"\"|source \"\" \"\") \\{"));
  }

  @Test
  void packerTemplate_givesTheScriptWhatItReads() throws Exception {
    assertThat(find(Files.readString(TEMPLATE), "\"([A-Z_]+)="))
        .isEqualTo(find(Files.readString(PROVISION), "\\$\\{([A-Z_]+):"));
  }

  private static long count(String text, char one) {
    return text.chars().filter(c -> c == one).count();
  }

  private static Set<String> find(String text, String pattern) {
    var found = new TreeSet<String>();
    Pattern.compile(pattern).matcher(text).results().forEach(match -> found.add(match.group(1)));
    return found;
  }

  @Test
  @NeedsPart(Part.SHELLCHECK)
  void scripts_shellcheckHasNothingToSay(@TempDir Path work) throws Exception {
    Path ofCloudInit = Files.writeString(work.resolve("install.sh"), file("install-tpu-bootd"));

    // SC1091: a file that is there only on the VM.
    assertThat(
            run(
                "shellcheck",
                "--exclude=SC1091,SC2154",
                PROVISION.toString(),
                ofCloudInit.toString()))
        .isEqualTo(new Said(0, "", ""));
  }

  @Test
  void provision_makesAnImageThatIsNobodys() throws Exception {
    try (var debian = Chroot.make();
        var engine = FakeEngine.start(debian.file("/run/docker.sock"));
        var metadata = FakeMetadata.start(0)) {
      metadata.serviceAccount("made-up", Duration.ofHours(1));
      debian.recorder("apt-get", APT_GET);
      debian.recorder("update-grub", 0);
      debian.recorder("cloud-init", 0);
      // What it finds in this tree without a kernel is another test's.
      debian.recorder("tpu-bootd", "[ $1 = check ] || exec /usr/bin/tpu-bootd \"$@\"");
      debian.write("/boot/grub/grub.cfg", "");
      debian.write("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
      debian.write("/etc/ssh/ssh_host_ed25519_key", "secret");
      debian.write("/etc/ssh/sshd_config", "kept");

      Said said = provision(debian, metadata, "v6e").ok();

      assertThat(debian.calls("apt-get"))
          .containsExactly(
              "update", "install -y --no-install-recommends docker.io /tmp/tpu-bootd.deb", "clean");
      assertThat(debian.calls("tpu-bootd"))
          .as(said.out())
          .containsExactly("images pull", "check --image");
      assertThat(engine.hasImage(VBAR)).isTrue();
      assertThat(engine.names()).isEmpty();
      assertThat(debian.read("/etc/default/tpu-bootd")).contains("\nTPU_GENERATION=v6e\n");
      assertThat(debian.calls("update-grub")).hasSize(2);
      assertThat(debian.calls("cloud-init")).containsExactly("status --wait", "clean --logs");
      assertThat(debian.read("/etc/machine-id")).isEmpty();
      assertThat(debian.file("/etc/ssh").toFile().list()).containsExactly("sshd_config");
      assertThat(debian.file("/tmp/tpu-bootd.deb")).doesNotExist();
    }
  }

  @Test
  void provision_imageThatIsNoGoodOne_failsTheBuild() throws Exception {
    try (var debian = Chroot.make();
        var _ = FakeEngine.start(debian.file("/run/docker.sock"));
        var metadata = FakeMetadata.start(0)) {
      debian.recorder("apt-get", APT_GET);
      debian.recorder("tpu-bootd", "[ $1 != check ] || exit 1");

      assertThat(provision(debian, metadata, "any").code()).isEqualTo(1);
    }
  }

  private static Said provision(Chroot debian, FakeMetadata metadata, String generation)
      throws Exception {
    run("cp", deb().toString(), debian.file("/tmp/tpu-bootd.deb").toString()).ok();
    run("cp", PROVISION.toString(), debian.file("/tmp/provision.sh").toString()).ok();
    return debian.inside(
        "env",
        "DEB=/tmp/tpu-bootd.deb",
        "TPU_GENERATION=" + generation,
        "PULL_IMAGES=true",
        "GCE_METADATA_HOST=" + metadata.host(),
        "/tmp/provision.sh");
  }

  @Test
  void userData_isAcceptedByCloudInit() throws Exception {
    try (var debian = Chroot.make("cloud-init")) {
      // Not --annotate, which ends with 0 whatever it finds.
      String schema = "cloud-init schema --config-file /tmp/user-data.yaml";
      debian.write("/tmp/user-data.yaml", Files.readString(USER_DATA));
      Said good = debian.shell(schema);
      debian.write(
          "/tmp/user-data.yaml",
          Files.readString(USER_DATA).replace("mode: reboot", "mode: restart"));
      Said bad = debian.shell(schema);

      assertThat(good.code()).as(good.toString()).isZero();
      assertThat(good.out()).contains("Valid cloud-config");
      assertThat(bad.code()).isEqualTo(1);
      assertThat(bad.err()).contains("'restart' is not one of");
    }
  }

  /** A file that the user data writes. */
  private static String file(String name) throws Exception {
    Map<String, List<Map<String, String>>> data = new Yaml().load(Files.readString(USER_DATA));
    return data.get("write_files").stream()
        .filter(file -> file.get("path").endsWith("/" + name))
        .map(file -> file.get("content"))
        .findFirst()
        .orElseThrow();
  }

  /** Stands for curl: gives the token, and gives the package to whoever shows it unseen. */
  private static final String CURL =
      """
      case "$*" in
        *service-accounts/default/token)
          echo '{"access_token":"ya29.made-up","expires_in":3599,"token_type":"Bearer"}' ;;
        *--output\\ /run/tpu-bootd.deb\\ https://storage.googleapis.com/my-bucket/tpu-bootd_*_amd64.deb)
          grep -qx 'header = "Authorization: Bearer ya29.made-up"' || exit 22
          cp /tmp/package.deb /run/tpu-bootd.deb ;;
        *) exit 3 ;;
      esac\
      """;

  private static Said runUserData(Chroot debian, String sum) throws Exception {
    run("cp", deb().toString(), debian.file("/tmp/package.deb").toString()).ok();
    debian.recorder("curl", CURL);
    debian.recorder("apt-get", APT_GET);
    debian.recorder("update-grub", "tpu-bootd --version >>/boot/grub/grub.cfg");
    debian.write(
        "/etc/tpu-bootd-package",
        file("tpu-bootd-package").replaceAll("(?m)^SHA256=.*", "SHA256=" + sum));
    debian.write("/tmp/install-tpu-bootd", file("install-tpu-bootd"));
    return debian.inside("sh", "/tmp/install-tpu-bootd");
  }

  private static String sumOfDeb() throws Exception {
    return run("sha256sum", deb().toString()).ok().out().split(" ", 2)[0];
  }

  @Test
  void userDatasScript_installsAndAsksForARebootWhereKernelArgumentsAreNew() throws Exception {
    try (var debian = Chroot.make()) {
      debian.write("/boot/grub/grub.cfg", "");

      runUserData(debian, sumOfDeb()).ok();

      assertThat(debian.shell("dpkg-query -W -f '${Status}' tpu-bootd").ok().out())
          .isEqualTo("install ok installed");
      assertThat(debian.file("/run/tpu-bootd-reboot")).exists();
      assertThat(debian.file("/run/tpu-bootd.deb")).doesNotExist();
      assertThat(debian.calls("curl")).noneMatch(line -> line.contains("ya29"));
    }
  }

  @Test
  void userDatasScript_withoutAGrub_asksForNoReboot() throws Exception {
    try (var debian = Chroot.make()) {
      runUserData(debian, sumOfDeb()).ok();

      assertThat(debian.file("/run/tpu-bootd-reboot")).doesNotExist();
    }
  }

  @Test
  void userDatasScript_anotherPackageThanWasMeant_isNotInstalled() throws Exception {
    try (var debian = Chroot.make()) {
      Said said = runUserData(debian, "0".repeat(64));

      assertThat(said.code()).isEqualTo(1);
      assertThat(debian.calls("apt-get")).isEmpty();
    }
  }
}
