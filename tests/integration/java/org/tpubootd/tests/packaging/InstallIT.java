package org.tpubootd.tests.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.packaging.BuiltPackage.deb;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.FakeEngine;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.packaging.BuiltPackage.Said;

/** The package comes, changes and goes in a minimal Debian, by the real dpkg. */
@Tag("real")
@Tag("package")
@NeedsPart({Part.DPKG_DEB, Part.ROOT, Part.MMDEBSTRAP, Part.MOUNT_NAMESPACE})
class InstallIT {

  private static final String ENABLED =
      "/etc/systemd/system/multi-user.target.wants/tpu-bootd.service";
  private static final String ARGUMENTS =
      "idle=poll transparent_hugepage=always intel_iommu=on,sm_on";

  private Chroot debian;
  private Path work;

  @BeforeEach
  void makeDebian(@TempDir Path work) throws Exception {
    this.work = work;
    debian = Chroot.make();
  }

  @AfterEach
  void removeDebian() throws Exception {
    debian.close();
  }

  private Path newer() throws Exception {
    return BuiltPackage.newer(work);
  }

  @Test
  void install_withNothingRunning_enablesAndMakesTheUser() throws Exception {
    Said said = debian.install(deb()).ok();

    assertThat(said.err()).isEmpty();
    assertThat(Files.isSymbolicLink(debian.file(ENABLED))).isTrue();
    assertThat(debian.shell("getent passwd tpu-runtime; getent group tpu-runtime").ok().out())
        .isEqualTo(
            """
            tpu-runtime:x:2000:2000:Cloud TPU runtime:/home/tpu-runtime:/usr/sbin/nologin
            tpu-runtime:x:2000:
            """);
    // Where systemd makes it, it is the same one.
    assertThat(debian.read("/usr/lib/sysusers.d/tpu-bootd.conf"))
        .contains("u tpu-runtime 2000 \"Cloud TPU runtime\" /home/tpu-runtime /usr/sbin/nologin");
    assertThat(debian.shell("stat -c '%U:%G %a' /home/tpu-runtime").ok().out())
        .isEqualTo("tpu-runtime:tpu-runtime 755\n");
    assertThat(debian.shell("TPU_BOOTD_JVM_OPTIONS=-XX:AOTMode=on tpu-bootd --version"))
        .isEqualTo(new Said(0, "tpu-bootd " + BuiltPackage.VERSION + "\n", ""));
  }

  @Test
  void install_numberOfAnotherUser_getsAFreeOne() throws Exception {
    debian.shell("groupadd -g 2000 staff2 && useradd -u 2000 -g 2000 somebody").ok();

    Said said = debian.install(deb()).ok();

    assertThat(said.err()).contains("2000 is somebody's");
    assertThat(debian.shell("id -u tpu-runtime; id -u somebody").ok().out())
        .doesNotStartWith("2000\n")
        .endsWith("\n2000\n");
    assertThat(debian.shell("stat -c %U /home/tpu-runtime").ok().out()).isEqualTo("tpu-runtime\n");
  }

  @Test
  void install_userIsThere_isLeftAsItIs() throws Exception {
    debian.shell("useradd -u 1500 -m -d /srv/tpu -s /bin/bash tpu-runtime").ok();
    String before = debian.read("/etc/passwd");

    debian.install(deb()).ok();

    assertThat(debian.read("/etc/passwd")).isEqualTo(before);
    debian.inside("dpkg", "--purge", "tpu-bootd").ok();
    assertThat(debian.read("/etc/passwd")).isEqualTo(before);
  }

  @Test
  void installAgain_changesNothing() throws Exception {
    debian.install(deb()).ok();
    String first = debian.everything();

    debian.install(deb()).ok();

    assertThat(debian.everything()).isEqualTo(first);
  }

  @Test
  void upgrade_keepsWhatAPersonHasChanged() throws Exception {
    debian.install(deb()).ok();
    String edited = "log: debug\n";
    debian.write("/etc/tpu-bootd/config.yaml", edited);
    debian.write("/etc/tpu-bootd/config.d/50-site.yaml", edited);
    // What "systemctl disable" does.
    Files.delete(debian.file(ENABLED));

    debian.install(newer()).ok();

    assertThat(debian.read("/etc/tpu-bootd/config.yaml")).isEqualTo(edited);
    assertThat(debian.read("/etc/tpu-bootd/config.d/50-site.yaml")).isEqualTo(edited);
    assertThat(debian.file(ENABLED)).doesNotExist();
    assertThat(debian.shell("tpu-bootd config | grep '^log'").ok().out()).contains("log = debug");
  }

  @Test
  void downgrade_keepsWhatAPersonHasChangedAndItsUser() throws Exception {
    debian.install(newer()).ok();
    debian.write("/etc/tpu-bootd/config.yaml", "log: debug\n");
    String before = debian.everything();

    debian.install(deb()).ok();

    // What dpkg says of the file that it has not replaced.
    debian.shell("rm /etc/tpu-bootd/config.yaml.dpkg-dist").ok();
    assertThat(debian.everything()).isEqualTo(before);
    assertThat(debian.shell("dpkg-query -W -f '${Version}' tpu-bootd").ok().out())
        .isEqualTo(BuiltPackage.VERSION);
  }

  @Test
  void upgradeThatIsRefused_leavesTheOldVersionAsItWas() throws Exception {
    debian.install(deb()).ok();
    String before = debian.everything();

    // dpkg runs the old version's "postinst abort-upgrade".
    assertThat(debian.install(BuiltPackage.refusing(work)).code()).isEqualTo(1);

    assertThat(debian.everything()).isEqualTo(before);
    assertThat(debian.shell("dpkg-query -W -f '${Status} ${Version}' tpu-bootd").ok().out())
        .isEqualTo("install ok installed " + BuiltPackage.VERSION);
  }

  @Test
  void upgradeThatEndedHalfWay_isFinishedByTheNextOne() throws Exception {
    debian.install(deb()).ok();
    // The machine was switched off between unpacking and configuring.
    BuiltPackage.run("cp", newer().toString(), debian.file("/tmp/newer.deb").toString()).ok();
    debian.inside("dpkg", "--force-unsafe-io", "--unpack", "/tmp/newer.deb").ok();
    // The program works in between: the daemon may be started by a boot.
    assertThat(debian.shell("TPU_BOOTD_JVM_OPTIONS=-XX:AOTMode=on tpu-bootd --version").code())
        .isZero();

    debian.inside("dpkg", "--force-confdef,confold", "--configure", "-a").ok();

    assertThat(debian.shell("dpkg-query -W -f '${Status}' tpu-bootd").ok().out())
        .isEqualTo("install ok installed");
    assertThat(Files.isSymbolicLink(debian.file(ENABLED))).isTrue();
  }

  @Test
  void removalThatIsTakenBack_startsTheServiceAgain() throws Exception {
    Files.createDirectories(debian.file("/run/systemd/system"));
    debian.recorder("systemctl", 0);
    debian.recorder("deb-systemd-invoke", 0);
    debian.install(deb()).ok();
    debian.calls("deb-systemd-invoke");

    // As dpkg does it where another package's removal fails.
    debian.inside("/var/lib/dpkg/info/tpu-bootd.prerm", "remove").ok();
    debian.inside("/var/lib/dpkg/info/tpu-bootd.postinst", "abort-remove").ok();

    assertThat(debian.calls("deb-systemd-invoke"))
        .containsExactly("stop tpu-bootd.service", "start tpu-bootd.service");
  }

  @Test
  void maskedByAPerson_staysSo() throws Exception {
    debian.install(deb()).ok();
    Path unit = debian.file("/etc/systemd/system/tpu-bootd.service");
    Files.createSymbolicLink(unit, Path.of("/dev/null"));

    debian.install(newer()).ok();
    debian.inside("dpkg", "--purge", "tpu-bootd").ok();

    assertThat(Files.readSymbolicLink(unit)).isEqualTo(Path.of("/dev/null"));
  }

  /** From outside of the tree: dpkg changes the root for the scripts. */
  @Test
  void installByRoot_isAsFromInside() throws Exception {
    debian.install(deb()).ok();
    String inside = debian.everything();
    try (var other = Chroot.make()) {
      // Where install() leaves it: the same files in /tmp.
      other.write("/tmp/package.deb", "");
      BuiltPackage.run(
              "dpkg", "--root=" + other.file("/"), "--force-unsafe-io", "-i", deb().toString())
          .ok();

      assertThat(other.everything()).isEqualTo(inside);
    }
  }

  /** The scripts run on the builder's machine then, of which nothing is to be touched. */
  @Test
  void installWithoutChangingTheRoot_touchesTheTreeOnly() throws Exception {
    try (var other = Chroot.make()) {
      String tree = other.file("/").toString();
      // The builder: one that has everything which the scripts would use.
      debian.install(deb()).ok();
      Files.createDirectories(debian.file("/run/systemd/system"));
      debian.write("/boot/grub/grub.cfg", "");
      debian.write("/etc/environment", "# BEGIN tpu-bootd\nA=1\n# END tpu-bootd\n");
      debian.write("/home/tpu-runtime/tpu-env", "A=\"B\"\n");
      var programs =
          List.of("systemctl", "deb-systemd-invoke", "update-grub", "useradd", "userdel");
      for (String program : programs) {
        debian.recorder(program, 0);
      }
      other.write("/boot/grub/grub.cfg", "");
      String builder = debian.everything();
      Files.createDirectories(debian.file("/tmp/tree"));
      String dpkg =
          "mount --bind %s \"$0\" && chroot %s dpkg --root=/tmp/tree"
                  .formatted(tree, debian.file("/"))
              + " --force-script-chrootless,unsafe-io,depends ";
      String install = dpkg + "-i /tmp/package.deb";
      String purge = dpkg + "--purge tpu-bootd";
      String place = debian.file("/tmp/tree").toString();

      BuiltPackage.run("unshare", "--mount", "sh", "-c", install, place).ok();
      assertThat(Files.isSymbolicLink(other.file(ENABLED))).isTrue();
      other.write("/etc/environment", "B=2\n# BEGIN tpu-bootd\nA=1\n# END tpu-bootd\n");
      BuiltPackage.run("unshare", "--mount", "sh", "-c", purge, place).ok();

      assertThat(debian.everything()).isEqualTo(builder);
      for (String program : programs) {
        assertThat(debian.calls(program)).as(program).isEmpty();
      }
      assertThat(other.file(ENABLED)).doesNotExist();
      assertThat(other.file("/var/lib/tpu-bootd")).doesNotExist();
      assertThat(other.read("/etc/environment")).isEqualTo("B=2\n");
    }
  }

  @Test
  void runningSystemd_upgradeRestartsOnceAndStopsNothing() throws Exception {
    Files.createDirectories(debian.file("/run/systemd/system"));
    debian.recorder("systemctl", 0);
    debian.recorder("deb-systemd-invoke", 0);

    debian.install(deb()).ok();
    assertThat(debian.calls("deb-systemd-invoke")).containsExactly("start tpu-bootd.service");
    assertThat(debian.calls("systemctl")).contains("--system daemon-reload");

    // Not even for a moment: SIGTERM would stop the containers, a restart sends SIGUSR1.
    debian.install(newer()).ok();
    assertThat(debian.calls("deb-systemd-invoke")).containsExactly("restart tpu-bootd.service");

    debian.inside("dpkg", "--remove", "tpu-bootd").ok();
    assertThat(debian.calls("deb-systemd-invoke")).containsExactly("stop tpu-bootd.service");
  }

  @Test
  void systemdThatFails_failsNoInstallation() throws Exception {
    Files.createDirectories(debian.file("/run/systemd/system"));
    debian.recorder("systemctl", 1);
    debian.recorder("deb-systemd-invoke", 1);

    debian.install(deb()).ok();
    assertThat(debian.calls("deb-systemd-invoke")).hasSize(1);
    debian.inside("dpkg", "--purge", "tpu-bootd").ok();
  }

  @Test
  void remove_leavesDataAndTakesBackItsEffect() throws Exception {
    debian.install(deb()).ok();
    debian.write("/var/lib/tpu-bootd/state", "kept");
    debian.shell("tpu-bootd apply environment").ok();
    assertThat(kernelArguments("")).contains(ARGUMENTS);

    debian.inside("dpkg", "--remove", "tpu-bootd").ok();

    assertThat(debian.file("/usr/lib/tpu-bootd")).doesNotExist();
    assertThat(debian.read("/var/lib/tpu-bootd/state")).isEqualTo("kept");
    assertThat(debian.read("/etc/environment")).contains("CLOUDSDK_PYTHON");
    assertThat(debian.file("/etc/tpu-bootd/config.yaml")).exists();
    assertThat(debian.shell("getent passwd tpu-runtime").code()).isZero();
    assertThat(kernelArguments("")).isEqualTo("|\n");
  }

  /** An engine at the usual place, and containers that the program has made there. */
  private FakeEngine engineWithContainers() throws Exception {
    var engine = FakeEngine.start(debian.file("/run/docker.sock"));
    // No metadata server has to be waited for, and no devices.
    debian.write(
        "/etc/tpu-bootd/config.d/50-test.yaml",
        "metadata: {host: '127.0.0.1:1'}\ndevices: {enabled: false}\n");
    debian.shell("tpu-bootd apply container").ok();
    assertThat(engine.names()).containsExactlyInAnyOrder("tpu-bootd-vbar", "tpu-bootd-telemetry");
    engine.addForeign("somebody-elses", true);
    return engine;
  }

  @Test
  void remove_takesTheContainersAndNobodyElses() throws Exception {
    Files.createDirectories(debian.file("/run/systemd/system"));
    debian.recorder("deb-systemd-invoke", 0);
    debian.recorder("systemctl", "case $* in *is-active*) exit 3 ;; esac");
    debian.install(deb()).ok();
    try (var engine = engineWithContainers()) {
      Said said = debian.inside("dpkg", "--remove", "tpu-bootd").ok();

      assertThat(said.err()).isEmpty();
      assertThat(engine.names()).containsExactly("somebody-elses");
      assertThat(engine.received("DELETE", "/images")).isEmpty();
    }
  }

  @Test
  void remove_daemonGoesOnAllTheSame_itsContainersStay() throws Exception {
    Files.createDirectories(debian.file("/run/systemd/system"));
    // As where policy-rc.d does not let it be stopped.
    debian.recorder("deb-systemd-invoke", 1);
    debian.recorder("systemctl", 0);
    debian.install(deb()).ok();
    try (var engine = engineWithContainers()) {
      debian.inside("dpkg", "--remove", "tpu-bootd").ok();

      assertThat(engine.names()).hasSize(3);
    }
  }

  @Test
  void remove_inATreeWithTheEngineOfItsBuilder_touchesNoContainer() throws Exception {
    debian.install(deb()).ok();
    try (var engine = engineWithContainers()) {
      debian.inside("dpkg", "--purge", "tpu-bootd").ok();

      assertThat(engine.names()).hasSize(3);
    }
  }

  @Test
  void purge_leavesNothingButWhatAPersonWrote() throws Exception {
    debian.write("/etc/environment", "A=before\nB=after\n");
    String before = debian.everything();
    debian.install(deb()).ok();
    debian.shell("tpu-bootd apply environment").ok();
    assertThat(debian.read("/etc/environment")).contains("CLOUDSDK_PYTHON").contains("B=after");
    debian.write("/home/tpu-runtime/tpu-env", "A=\"B\"\n");
    debian.write("/etc/tpu/tpu-env", "A: 'B'\n");
    debian.write("/run/tpu-bootd/workload.env", "A=B\n");
    debian.write("/var/lib/tpu-bootd/restarts/vbar", "3\n");

    debian.inside("dpkg", "--purge", "tpu-bootd").ok();

    assertThat(debian.everything()).isEqualTo(before);
  }

  @Test
  void purge_leavesFilesOfAPerson() throws Exception {
    debian.install(deb()).ok();
    debian.write("/etc/tpu-bootd/config.d/50-site.yaml", "log: debug\n");
    debian.write("/home/tpu-runtime/notes", "mine");
    debian.write("/etc/tpu/other", "mine");

    debian.inside("dpkg", "--purge", "tpu-bootd").ok();

    assertThat(debian.read("/etc/tpu-bootd/config.d/50-site.yaml")).isEqualTo("log: debug\n");
    assertThat(debian.read("/home/tpu-runtime/notes")).isEqualTo("mine");
    assertThat(debian.read("/etc/tpu/other")).isEqualTo("mine");
    // The notes would belong to nobody.
    assertThat(debian.shell("getent passwd tpu-runtime").code()).isZero();
  }

  @Test
  void purge_groupOfAPerson_stays() throws Exception {
    debian.shell("groupadd -g 2000 tpu-runtime").ok();
    debian.install(deb()).ok();

    debian.inside("dpkg", "--purge", "tpu-bootd").ok();

    assertThat(debian.shell("getent passwd tpu-runtime").code()).isNotZero();
    assertThat(debian.shell("getent group tpu-runtime").ok().out())
        .isEqualTo("tpu-runtime:x:2000:\n");
  }

  @Test
  void purge_directoriesThatAreLinksOfAPerson_isNoFailure() throws Exception {
    debian.install(deb()).ok();
    for (String directory : List.of("/home/tpu-runtime", "/etc/tpu")) {
      debian.shell("rm -rf %s && mkdir -p /srv%s && ln -s /srv%s %s".replace("%s", directory)).ok();
    }

    debian.inside("dpkg", "--purge", "tpu-bootd").ok();

    assertThat(Files.isSymbolicLink(debian.file("/home/tpu-runtime"))).isTrue();
    assertThat(Files.isSymbolicLink(debian.file("/etc/tpu"))).isTrue();
  }

  @Test
  void purge_damagedBlock_isLeftToAPerson() throws Exception {
    debian.install(deb()).ok();
    String begin = "# BEGIN tpu-bootd: set by something\n";
    String end = "# END tpu-bootd\n";
    var damaged =
        List.of(
            begin + "A=1\nMINE=2\n", end + "A=1\n" + begin, begin + end + "M=2\n" + begin + end);
    for (String text : damaged) {
      debian.write("/etc/environment", text);

      Said said = debian.inside("/var/lib/dpkg/info/tpu-bootd.postrm", "purge").ok();

      assertThat(debian.read("/etc/environment")).isEqualTo(text);
      assertThat(said.err()).contains("is damaged");
      assertThat(debian.file("/etc").toFile().list())
          .noneMatch(name -> name.startsWith("environment."));
    }
  }

  @Test
  void updateGrub_runsOnlyWhereThereIsAGrub() throws Exception {
    debian.recorder("update-grub", 0);
    debian.install(deb()).ok();
    assertThat(debian.calls("update-grub")).isEmpty();

    debian.write("/boot/grub/grub.cfg", "");
    debian.install(newer()).ok();
    assertThat(debian.calls("update-grub")).hasSize(1);

    debian.inside("dpkg", "--purge", "tpu-bootd").ok();
    assertThat(debian.calls("update-grub")).hasSize(1);
  }

  @Test
  void updateGrub_fails_isTold() throws Exception {
    debian.write("/boot/grub/grub.cfg", "");
    debian.recorder("update-grub", 1);

    assertThat(debian.install(deb()).ok().err()).contains("update-grub failed");
  }

  /** As grub-mkconfig does it: the settings of the host, then ours. */
  private String kernelArguments(String settings) throws Exception {
    debian.write("/etc/default/grub", settings);
    return debian
        .shell(
            "set -e; . /etc/default/grub; for x in /etc/default/grub.d/*.cfg; do . $x; done;"
                + " echo \"$GRUB_CMDLINE_LINUX|$GRUB_CMDLINE_LINUX_DEFAULT\"")
        .ok()
        .out();
  }

  @Test
  void kernelArguments_areAddedAndNeverTakenFromAPerson() throws Exception {
    debian.install(deb()).ok();

    assertThat(kernelArguments("")).isEqualTo(ARGUMENTS + "|\n");
    assertThat(kernelArguments("GRUB_CMDLINE_LINUX='console=ttyS0,38400n8d'"))
        .isEqualTo("console=ttyS0,38400n8d " + ARGUMENTS + "|\n");
    assertThat(kernelArguments("GRUB_CMDLINE_LINUX_DEFAULT='quiet idle=nomwait'"))
        .isEqualTo("transparent_hugepage=always intel_iommu=on,sm_on|quiet idle=nomwait\n");
    assertThat(kernelArguments("GRUB_CMDLINE_LINUX='" + ARGUMENTS + "'"))
        .isEqualTo(ARGUMENTS + "|\n");
  }

  @Test
  void kernelArguments_settingsOfCloudImagesStay() throws Exception {
    debian.install(deb()).ok();
    // As Ubuntu's images have it, read before ours.
    debian.write(
        "/etc/default/grub.d/50-cloudimg-settings.cfg",
        "GRUB_CMDLINE_LINUX_DEFAULT=\"console=ttyS0,115200\"\n");
    debian.write(
        "/etc/default/grub.d/kdump-tools.cfg",
        "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT crashkernel=512M\"\n");

    assertThat(kernelArguments("GRUB_CMDLINE_LINUX=''\nGRUB_CMDLINE_LINUX_DEFAULT='quiet splash'"))
        .isEqualTo(ARGUMENTS + "|console=ttyS0,115200 crashkernel=512M\n");
  }

  @Test
  void kernelArguments_generationDecidesOnTheIommu() throws Exception {
    debian.install(deb()).ok();
    var iommu = Map.of("any", true, "v5p", true, "tpu7x", true, "v5e", false, "v6e", false);
    for (String generation : iommu.keySet()) {
      debian.write("/etc/default/tpu-bootd", "TPU_GENERATION=" + generation + "\n");

      String arguments = kernelArguments("");

      assertThat(arguments).contains("idle=poll transparent_hugepage=always");
      assertThat(arguments.contains("intel_iommu=on,sm_on"))
          .as(generation)
          .isEqualTo(iommu.get(generation));
    }
  }
}
