package org.tpubootd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.image.ImageTree.ARGUMENTS;
import static org.tpubootd.image.ImageTree.KERNEL;
import static org.tpubootd.image.Severity.ERROR;
import static org.tpubootd.image.Severity.NOT_APPLICABLE;
import static org.tpubootd.image.Severity.OK;
import static org.tpubootd.image.Severity.WARNING;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tpubootd.config.Links;

/** Tests for {@link ImageChecks}: a good image, and what is said of each thing that is wrong. */
class ImageChecksTest {

  private static final String CONFIG = "/etc/tpu-bootd/config.d/50-site.yaml";
  private static final String WANTS = "/etc/systemd/system/multi-user.target.wants/";
  private static final String IMAGES = "/usr/share/tpu-bootd/images/";

  @TempDir Path directory;

  @AfterEach
  void removeLinks() throws Exception {
    Links.removeBelow(directory);
  }

  /** Something done to a good image. */
  interface Change {
    void make(ImageTree tree) throws Exception;
  }

  /** What one change leads to. */
  record Row(String check, Severity severity, String found, Change change) {
    @Override
    public String toString() {
      return check + ": " + found;
    }
  }

  private static Row row(String check, Severity severity, String found, Change change) {
    return new Row(check, severity, found, change);
  }

  static Stream<Row> rows() {
    return Stream.of(
            program(), service(), kernel(), arguments(), limits(), engine(), images(), others())
        .flatMap(List::stream);
  }

  private static List<Row> program() {
    return List.of(
        row(
            "configuration",
            ERROR,
            "/etc/tpu-bootd/config.d/50-site.yaml:2: unknown key 'health.prot'",
            tree -> tree.file(CONFIG, "health:\n  prot: 1\n")),
        row(
            "package",
            ERROR,
            "/usr/lib/tpu-bootd/tpu-bootd.jar is missing",
            tree -> tree.delete("/usr/lib/tpu-bootd/tpu-bootd.jar")),
        row(
            "package",
            ERROR,
            "dpkg has not finished its installation: install ok half-configured",
            tree ->
                tree.file(
                    "/var/lib/dpkg/status",
                    "Package: tpu-bootd\nStatus: install ok half-configured\nVersion: 1\n")),
        row(
            "package",
            WARNING,
            "not as built: /usr/lib/tpu-bootd/tpu-bootd.jar",
            tree ->
                installed(
                    tree, "d41d8cd98f00b204e9800998ecf8427e  usr/lib/tpu-bootd/tpu-bootd.jar\n")),
        row(
            "package",
            ERROR,
            "missing: /usr/lib/tpu-bootd/a (and 1 more)",
            tree -> installed(tree, "0  usr/lib/tpu-bootd/a\n0  usr/lib/tpu-bootd/b\n")),
        row(
            "package",
            OK,
            "version 0.1.0, 1 files as they were built",
            tree ->
                installed(
                    tree,
                    """
                    68995fcbf432492d15484d04a9d2ac40  usr/lib/tpu-bootd/tpu-bootd.jar
                    0  usr/share/man/man8/tpu-bootd.8.gz
                    """)),
        row(
            "package",
            WARNING,
            "/etc/udev/rules.d/60-tpu-bootd.rules is read in place of the package's file",
            tree -> tree.link("/etc/udev/rules.d/60-tpu-bootd.rules", "/dev/null")),
        row(
            "user",
            WARNING,
            "there is no user tpu-runtime: tpu-env and workload.env would be root's",
            tree -> tree.file("/etc/passwd", "root:x:0:0::/root:/bin/sh\n")),
        row(
            "user",
            WARNING,
            "tpu-runtime is 999:999, not 2000:2000 as in Google's images",
            tree -> tree.file("/etc/passwd", "tpu-runtime:x:999:999::/h:/bin/sh\n")),
        row(
            "environment",
            ERROR,
            "/etc/environment is left as it is",
            tree -> tree.file("/etc/environment", "# BEGIN tpu-bootd\nA=1\n")));
  }

  private static void installed(ImageTree tree, String sums) throws Exception {
    tree.file(
        "/var/lib/dpkg/status",
        """
        Package: other
        Version: 1

        Package: tpu-bootd
        Status: install ok installed
        Version: 0.1.0
        """);
    tree.file("/var/lib/dpkg/info/tpu-bootd.md5sums", sums);
  }

  private static List<Row> service() {
    return List.of(
        row("service", OK, "enabled by multi-user.target", _ -> {}),
        row(
            "service",
            ERROR,
            "tpu-bootd.service is not enabled: no boot starts it",
            tree -> tree.delete(WANTS + "tpu-bootd.service")),
        row(
            "service",
            ERROR,
            "tpu-bootd.service is masked by /etc/systemd/system/tpu-bootd.service",
            tree -> tree.link("/etc/systemd/system/tpu-bootd.service", "/dev/null")),
        row(
            "service",
            ERROR,
            "tpu-bootd.service is masked by /etc/systemd/system/tpu-bootd.service",
            tree -> tree.file("/etc/systemd/system/tpu-bootd.service", "")),
        row(
            "service",
            ERROR,
            "systemd is not in this tree: nothing starts tpu-bootd at boot",
            tree -> tree.delete("/usr/lib/systemd/systemd")));
  }

  private static List<Row> kernel() {
    return List.of(
        row(
            "kernel",
            WARNING,
            "no kernel is in /lib/modules",
            tree -> {
              tree.delete("/usr/lib/modules/" + KERNEL + "/modules.dep");
              tree.delete("/usr/lib/modules/" + KERNEL + "/modules.builtin");
            }),
        row(
            "kernel",
            ERROR,
            KERNEL + " has no vfio-pci and no vfio_iommu_type1",
            tree -> tree.kernel(KERNEL)),
        row(
            "kernel",
            ERROR,
            KERNEL + " has no modules.dep, so that no module is found",
            tree -> tree.delete("/usr/lib/modules/" + KERNEL + "/modules.dep")),
        row(
            "kernel",
            WARNING,
            "6.8.0-99-gcp has no vfio-pci and no vfio_iommu_type1; it is not the one that boots",
            tree -> tree.kernel("6.8.0-99-gcp")),
        row(
            "kernel",
            ERROR,
            "6.8.0-9999-gcp has no vfio-pci and no vfio_iommu_type1",
            tree -> tree.delete("/boot/grub/grub.cfg").kernel("6.8.0-9999-gcp")),
        row(
            "kernel",
            OK,
            KERNEL + " has vfio-pci, built in",
            tree ->
                tree.append(
                    "/usr/lib/modules/" + KERNEL + "/modules.builtin",
                    """
                    kernel/drivers/vfio/pci/vfio-pci.ko
                    kernel/drivers/vfio/vfio_iommu_type1.ko
                    """)),
        row(
            "kernel",
            WARNING,
            KERNEL + " has vfio-pci as a module, and the image has no modprobe",
            tree -> tree.delete("/usr/sbin/modprobe")),
        row(
            "kernel",
            ERROR,
            "/etc/modprobe.d/no.conf keeps the module away: install vfio-pci /bin/false",
            tree -> tree.file("/etc/modprobe.d/no.conf", "install vfio-pci /bin/false\n")),
        row(
            "kernel",
            WARNING,
            "no file in modprobe.d sets allow_unsafe_interrupts",
            tree -> tree.file("/etc/modprobe.d/tpu-bootd.conf", "")),
        row(
            "kernel",
            WARNING,
            "/usr/lib/modprobe.d/tpu-bootd.conf sets allow_unsafe_interrupts although the"
                + " configuration says never",
            tree -> tree.file(CONFIG, "devices:\n  allow-unsafe-interrupts: never\n")),
        row(
            "kernel",
            NOT_APPLICABLE,
            "devices.enabled is false",
            tree -> tree.kernel(KERNEL).file(CONFIG, "devices:\n  enabled: false\n")));
  }

  private static List<Row> arguments() {
    return List.of(
        row(
            "kernel arguments",
            WARNING,
            "no boot loader is configured in this tree",
            tree -> tree.delete("/boot/grub/grub.cfg")),
        row(
            "kernel arguments",
            WARNING,
            "/boot/grub/grub.cfg starts 'Ubuntu' and 1 more without idle=poll",
            tree -> tree.grub(ARGUMENTS.replace("idle=poll", "idle=nomwait"))),
        row(
            "kernel arguments",
            ERROR,
            "/boot/grub/grub.cfg starts 'Ubuntu' and 1 more without intel_iommu=on,sm_on",
            tree -> tree.grub(ARGUMENTS.replace(",sm_on", ""))),
        row(
            "kernel arguments",
            WARNING,
            "/boot/grub/grub.cfg starts 'Ubuntu' and 1 more without intel_iommu=on,sm_on",
            tree ->
                tree.grub(ARGUMENTS.replace(",sm_on", ""))
                    .file("/boot/config-" + KERNEL, "CONFIG_INTEL_IOMMU_DEFAULT_ON=y\n")),
        row(
            "kernel arguments",
            OK,
            "/boot/grub/grub.cfg has what TPUs need (TPU_GENERATION=v6e)",
            tree ->
                tree.grub(ARGUMENTS.replace("intel_iommu=on,sm_on", ""))
                    .file("/etc/default/tpu-bootd", "TPU_GENERATION=v6e\n")),
        row(
            "kernel arguments",
            OK,
            "/boot/grub/grub.cfg has what TPUs need (TPU_GENERATION=any)",
            tree -> tree.grub(ARGUMENTS.replace("intel_iommu=on,sm_on", "")).machine(183)),
        row(
            "kernel arguments",
            WARNING,
            "/etc/default/tpu-bootd names a generation that is not known: TPU_GENERATION=v9",
            tree -> tree.file("/etc/default/tpu-bootd", "TPU_GENERATION=\"v9\"\n")),
        row(
            "kernel arguments",
            ERROR,
            "/boot/grub/grub.cfg switches the IOMMU off by iommu=off",
            tree -> tree.grub(ARGUMENTS + " iommu=off")),
        row(
            "kernel arguments",
            ERROR,
            "/boot/grub/grub.cfg keeps vfio away by module_blacklist=nouveau,vfio_pci",
            tree -> tree.grub(ARGUMENTS + " module_blacklist=nouveau,vfio_pci")),
        row(
            "kernel arguments",
            WARNING,
            "/etc/kernel/cmdline lacks transparent_hugepage=always",
            tree ->
                tree.delete("/boot/grub/grub.cfg")
                    .file("/etc/kernel/cmdline", "idle=poll intel_iommu=on,sm_on\n")));
  }

  private static List<Row> limits() {
    return List.of(
        row(
            "session limits",
            WARNING,
            "/etc/security/limits.d/99-site.conf:2 sets memlock of * to 64",
            tree ->
                tree.file("/etc/security/limits.d/99-site.conf", "# ours\n*  -  memlock  64\n")),
        row(
            "session limits",
            OK,
            "locked memory and open files are as TPU programs need them",
            tree -> tree.file("/etc/security/limits.d/50-site.conf", "* - memlock 64\n")),
        row(
            "session limits",
            WARNING,
            "no line sets soft memlock of * (and 7 more)",
            tree -> tree.delete("/etc/security/limits.d/60-tpu-bootd.conf")),
        row(
            "service limits",
            WARNING,
            "/etc/systemd/system.conf.d/70-site.conf:2 sets DefaultLimitNOFILE=1024:524288",
            tree ->
                tree.file(
                    "/etc/systemd/system.conf.d/70-site.conf",
                    "[Manager]\nDefaultLimitNOFILE=1024:524288\n")),
        row(
            "service limits",
            OK,
            "locked memory and open files are as TPU programs need them",
            tree -> tree.file("/etc/systemd/system.conf", "[Manager]\nDefaultLimitMEMLOCK=8M\n")),
        row(
            "service limits",
            WARNING,
            "no file sets DefaultLimitMEMLOCK for user services (and 1 more)",
            tree -> tree.link("/etc/systemd/user.conf.d/60-tpu-bootd.conf", "/dev/null")));
  }

  private static List<Row> engine() {
    return List.of(
        row(
            "engine",
            ERROR,
            "no Docker Engine is in this tree: no container runs",
            tree -> tree.delete("/usr/bin/dockerd")),
        row(
            "engine",
            WARNING,
            "no Docker Engine is in this tree: no container runs",
            tree ->
                tree.delete("/usr/bin/dockerd")
                    .file(CONFIG, "containers:\n  vbar:\n    required: false\n")),
        row(
            "engine",
            ERROR,
            "/usr/bin/dockerd is there, and neither docker.service nor docker.socket is enabled",
            tree -> tree.delete(WANTS + "docker.service")),
        row(
            "engine",
            OK,
            "/usr/bin/dockerd, enabled by sockets.target",
            tree ->
                tree.delete(WANTS + "docker.service")
                    .link("/etc/systemd/system/sockets.target.wants/docker.socket", "/gone")),
        row(
            "engine",
            ERROR,
            "docker.service is masked",
            tree -> tree.link("/etc/systemd/system/docker.service", "/dev/null")),
        row(
            "engine",
            NOT_APPLICABLE,
            "tpu-bootd would run no container here",
            tree ->
                tree.delete("/usr/bin/dockerd")
                    .file(
                        CONFIG,
                        "containers:\n  vbar: {enabled: false}\n  telemetry: {enabled: false}\n")),
        row(
            "engine",
            NOT_APPLICABLE,
            "tpu-bootd would run no container here",
            tree -> tree.delete("/usr/bin/dockerd").file("/home/kubernetes/bin/kubelet", "")),
        row(
            "engine",
            NOT_APPLICABLE,
            "containers.engine is unix:///run/podman/podman.sock: not looked at",
            tree ->
                tree.delete("/usr/bin/dockerd")
                    .file(CONFIG, "containers:\n  engine: unix:///run/podman/podman.sock\n")));
  }

  private static List<Row> images() {
    return List.of(
        row(
            "images",
            WARNING,
            "vbar: its image is not in the tree, and is pulled at the first boot",
            tree ->
                tree.delete(IMAGES + "vbar.tar")
                    .file("/etc/ssl/certs/ca-certificates.crt", "certificates")),
        row(
            "images",
            ERROR,
            "vbar: its image has to be pulled, and the tree has no certificates for gcr.io",
            tree -> tree.delete(IMAGES + "vbar.tar")),
        row(
            "images",
            ERROR,
            "vbar: its image is not in the tree, and is never pulled",
            tree ->
                tree.delete(IMAGES + "vbar.tar")
                    .file(CONFIG, "containers:\n  vbar: {pull: never}\n")),
        row(
            "images",
            OK,
            "vbar: in the engine's store",
            tree ->
                tree.delete(IMAGES + "vbar.tar")
                    .file(
                        "/var/lib/docker/image/overlay2/repositories.json",
                        """
                        {"Repositories": {"gcr.io/cloud-tpu-v2-images/vbar_control_agent":
                          {"gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1": "sha256:1"}}}
                        """)),
        row(
            "images",
            WARNING,
            "/usr/share/tpu-bootd/images/telemetry.tar is not used: its SHA-256 is"
                + " e3b816898ca5ba5fbe6b8e6ee8e5d028da790352f5e65ac760fb59635882f6cd, and"
                + " /usr/share/tpu-bootd/images/telemetry.tar.sha256 says 00",
            tree -> tree.file(IMAGES + "telemetry.tar.sha256", "00  telemetry.tar\n")),
        row(
            "images",
            WARNING,
            "/usr/share/tpu-bootd/images/vbar.tar is not used: it is a link out of ",
            tree -> tree.link(IMAGES + "vbar.tar", "/etc/passwd")),
        row(
            "images",
            WARNING,
            "vbar: containers.vbar.config-file is /etc/vbar.yaml, which is not in the tree",
            tree ->
                tree.file(
                    CONFIG,
                    "containers:\n  vbar: {config-file: /etc/vbar.yaml, config-mount: /c}\n")));
  }

  private static List<Row> others() {
    return List.of(
        row(
            "other agents",
            WARNING,
            "tpu-bootd would leave telemetry alone: the snap ai-telemetry-collector is installed;"
                + " snap remove ai-telemetry-collector if tpu-bootd is to run the agent",
            tree -> tree.file("/var/lib/snapd/snaps/ai-telemetry-collector_8.snap", "")),
        row(
            "other scripts",
            WARNING,
            "/etc/udev/rules.d/99-tpu-vfiopci.rules runs a program for PCI functions of Google's or"
                + " for vfio",
            tree ->
                tree.file(
                    "/etc/udev/rules.d/99-tpu-vfiopci.rules",
                    """
                    # Bind all tagged devices.
                    TAG=="bind_to_vfio_pci", RUN+="/lib/udev/bind_to_vfio_pci.sh $kernel"
                    """)),
        row(
            "other scripts",
            OK,
            "nothing else binds TPUs or writes our files",
            tree ->
                tree.file("/etc/udev/rules.d/99-tpu.rules", "KERNEL==\"accel*\" MODE=\"0666\"\n")
                    .file("/etc/udev/rules.d/10-disk.rules", "KERNEL==\"sda\", RUN+=\"/x\"\n")),
        row(
            "other scripts",
            WARNING,
            "/lib/udev/bind_to_vfio_pci.sh of Google's page is there",
            tree -> tree.program("/usr/lib/udev/bind_to_vfio_pci.sh")),
        row(
            "other scripts",
            WARNING,
            "/var/scripts/configure-gcs-timeouts.sh of Google's page is there; it appends to"
                + " /etc/environment",
            tree -> tree.file("/var/scripts/configure-gcs-timeouts.sh", "")),
        row(
            "leftovers",
            WARNING,
            "/etc/tpu/tpu-env is of the VM that the image was made on",
            tree -> tree.file("/etc/tpu/tpu-env", "A: 'B'\n")),
        row(
            "leftovers",
            WARNING,
            "/var/lib/tpu-bootd/containers has restarts of containers of the VM that the image was"
                + " made on",
            tree -> tree.file("/var/lib/tpu-bootd/containers/vbar.json", "{}")),
        row("system", OK, "Ubuntu 24.04", _ -> {}));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void look_tellsWhatIsWrong(Row row) throws Exception {
    var tree = ImageTree.good(directory);
    row.change().make(tree);

    assertThat(look(tree))
        .filteredOn(result -> result.check().equals(row.check()))
        .anySatisfy(result -> {
          assertThat(result.found()).startsWith(row.found());
          assertThat(result.severity()).isEqualTo(row.severity());
          if (row.severity() == ERROR || row.severity() == WARNING) {
            assertThat(result.advice()).isNotBlank();
          }
        });
  }

  @Test
  void look_goodImageHasNothingToBeDone() throws Exception {
    assertThat(look(ImageTree.good(directory)))
        .hasSizeGreaterThan(12)
        .allSatisfy(result -> assertThat(result.severity()).as(result.toString()).isEqualTo(OK));
  }

  @Test
  void look_emptyTreeIsToldAndBreaksNothing() throws Exception {
    assertThat(look(ImageTree.empty(directory)))
        .filteredOn(result -> result.severity() == ERROR)
        .extracting(Result::check)
        .contains("package", "service", "engine");
  }

  @Test
  void look_linesOfAPersonAreNotes() throws Exception {
    var tree = ImageTree.good(directory).file("/etc/environment", "CLOUDSDK_PYTHON=/opt/python\n");

    assertThat(look(tree))
        .filteredOn(result -> result.check().equals("environment"))
        .singleElement()
        .satisfies(result -> {
          assertThat(result.severity()).isEqualTo(OK);
          assertThat(result.notes())
              .containsExactly(
                  "CLOUDSDK_PYTHON is set by hand in /etc/environment, line 1; it is kept");
        });
  }

  /** How to get the arguments where update-grub alone would not do. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "99-site.cfg | GRUB_CMDLINE_LINUX=quiet | let /etc/default/grub.d/99-site.cfg,",
        "99-site.cfg | GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX quiet\" | run update-grub",
        "99-site.cfg | GRUB_CMDLINE_LINUX_DEFAULT=quiet | run update-grub",
        "50-cloudimg-settings.cfg | GRUB_CMDLINE_LINUX=quiet | run update-grub"
      })
  void look_fileOfGrubReadAfterOurs_isNamed(String name, String line, String advice)
      throws Exception {
    var tree =
        ImageTree.good(directory).grub("ro quiet").file("/etc/default/grub.d/" + name, line + "\n");

    assertThat(look(tree))
        .filteredOn(result -> result.severity() == ERROR)
        .singleElement()
        .satisfies(result -> assertThat(result.advice()).startsWith(advice));
  }

  @Test
  void look_runningHostMayHaveWhatAnImageMustNot() throws Exception {
    var tree = ImageTree.good(directory).file("/etc/tpu/tpu-env", "A: 'B'\n");

    assertThat(new ImageChecks(tree.root(), true).look())
        .noneMatch(result -> result.check().equals("leftovers"));
  }

  @Test
  void look_fileThatCannotBeReadIsAResult() throws Exception {
    var tree = ImageTree.good(directory).delete("/boot/grub/grub.cfg");
    // A directory: even root cannot read it as a file.
    tree.file("/boot/grub/grub.cfg/x", "");

    assertThat(look(tree))
        .filteredOn(result -> result.check().equals("kernel arguments"))
        .singleElement()
        .satisfies(result -> {
          assertThat(result.severity()).isEqualTo(WARNING);
          assertThat(result.found())
              .isEqualTo("could not be looked at: /boot/grub/grub.cfg is no file");
        });
  }

  private static List<Result> look(ImageTree tree) throws Exception {
    return new ImageChecks(tree.root(), false).look();
  }
}
