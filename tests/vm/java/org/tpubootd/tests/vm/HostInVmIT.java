package org.tpubootd.tests.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.FakeMetadata;
import org.tpubootd.testbed.MadeUpHost;
import org.tpubootd.tests.Measured;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;
import org.tpubootd.tests.packaging.BuiltPackage;

/**
 * The life of one TPU host, from its first boot to the removal of the package: real systemd, PAM,
 * udev, GRUB, vfio-pci and Docker. The order is that of a life; each test leaves the host as it
 * found it.
 */
@Tag("real")
@Tag("package")
@Tag("vm")
@NeedsPart({
  Part.QEMU,
  Part.SSH,
  Part.SFDISK,
  Part.MMDEBSTRAP,
  Part.BUSYBOX,
  Part.ROOT,
  Part.MOUNTS
})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HostInVmIT {

  private static final String READY = "curl -fsS http://127.0.0.1:9595/readyz";

  /** One line a container: name, id and start. */
  private static final String CONTAINERS =
      "docker ps -aq | xargs -r docker inspect -f '{{.Name}} {{.Id}} {{.State.StartedAt}}' | sort";

  /** Names and ids only. */
  private static final String IDS =
      "docker ps -aq | xargs -r docker inspect -f '{{.Name}} {{.Id}}' | sort";

  private static final String BOTH_RUN = "test $(docker ps -q | wc -l) = 2";

  /** The functions of the four chips. */
  private static final String CHIPS = "lspci -Dn -d 1ae0:0062 | cut -d' ' -f1";

  private static final String DRIVERS =
      "for x in $(" + CHIPS + "); do basename $(readlink /sys/bus/pci/devices/$x/driver); done";

  private static final List<String> FOUR_VFIO =
      List.of("vfio-pci", "vfio-pci", "vfio-pci", "vfio-pci");

  private FakeMetadata metadata;
  private Vm vm;
  private String before = "";

  @BeforeAll
  void boot(@TempDir Path work) throws Exception {
    LabImage image = LabImage.make();
    Path disk = work.resolve("disk");
    BuiltPackage.run("cp", "--sparse=always", image.disk().toString(), disk.toString()).ok();
    metadata = metadata(0);
    vm = Vm.boot("host", image, Hardware.host(disk), metadata.port());
  }

  @AfterAll
  void switchOff() throws Exception {
    try (var _ = metadata) {
      vm.close();
    }
  }

  private static FakeMetadata metadata(int port) throws IOException {
    return FakeMetadata.start(port)
        .set("tpu-env", MadeUpHost.TPU_ENV)
        .set("worker-network-endpoints", "w-0:1:10.0.0.11,w-1:2:10.0.0.12");
  }

  private List<String> lines(String script) throws Exception {
    return vm.out(script).lines().toList();
  }

  // 1: the first boot.

  @Test
  @Order(1)
  void firstBoot_getsReady() throws Exception {
    vm.awaits("service active", "systemctl is-active tpu-bootd");
    vm.awaits("ready", READY);
    vm.awaits("boot finished", "systemctl is-system-running --wait");

    assertThat(vm.out("systemctl show -P StatusText tpu-bootd")).startsWith("ready");
    assertThat(vm.out("systemctl --failed --plain --no-legend")).isEmpty();
    assertThat(vm.out("journalctl -b | grep -i 'ordering cycle' || true")).isEmpty();
    Measured.tell("VM: boot", vm.out("systemd-analyze | head -n 1"));
  }

  @Test
  @Order(2)
  void firstBoot_bindsEachChipAndOpensItsNode() throws Exception {
    assertThat(lines(DRIVERS)).isEqualTo(FOUR_VFIO);
    assertThat(lines("stat -c %a /dev/vfio/[0-9]*")).containsExactly("666", "666", "666", "666");
    assertThat(vm.out("cat /sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts"))
        .isEqualTo("Y");
    // The program of a job: opened by a user without rights.
    assertThat(
            vm.out("su tpu-runtime -s /bin/bash -c 'for x in /dev/vfio/[0-9]*; do : <>$x; done'"))
        .isEmpty();
  }

  @Test
  @Order(3)
  void firstBoot_isReadyAfterFilesAndBindings() throws Exception {
    // In microseconds. The kernel's times of files are never ahead of the clock. Of the nodes it is
    // the time of birth, since udev sets their other times anew whenever it comes to their event.
    String ready =
        "date -d \"$(systemctl show --timestamp=us -P ActiveEnterTimestamp tpu-bootd)\" +%s%6N";
    long active = Long.parseLong(vm.out(ready));
    assertThat(
            lines(
                "stat -c %.6W /dev/vfio/[0-9]*; stat -c %.6Z /home/tpu-runtime/tpu-env"
                    + " /etc/tpu/tpu-env /run/tpu-bootd/workload.env /etc/environment"))
        .hasSize(8)
        .allSatisfy(change ->
            assertThat(Long.parseLong(change.replace(".", ""))).isPositive().isLessThan(active));
  }

  @Test
  @Order(4)
  void firstBoot_runsBothContainersWithAllRights() throws Exception {
    vm.awaits("both containers", BOTH_RUN);
    assertThat(
            lines(
                "docker ps -q | xargs docker inspect -f"
                    + " '{{.Name}} {{.HostConfig.Privileged}} {{.HostConfig.NetworkMode}}' | sort"))
        .containsExactly("/tpu-bootd-telemetry true host", "/tpu-bootd-vbar true host");
    // The host's network: its agent is reached there.
    assertThat(vm.run("timeout 60 bash -c ': </dev/tcp/127.0.0.1/8353'").code()).isZero();
  }

  /** The emulated processor is another than that of the machine on which the cache was made. */
  @Test
  @Order(4)
  void firstBoot_daemonRunsOutOfTheCacheOfClasses() throws Exception {
    assertThat(vm.out("TPU_BOOTD_JVM_OPTIONS=-XX:AOTMode=on tpu-bootd --version"))
        .startsWith("tpu-bootd ");
    vm.run("grep -q tpu-bootd.aot /proc/$(systemctl show -P MainPID tpu-bootd)/maps").ok();
    assertThat(vm.out("journalctl -b -u tpu-bootd | grep -i ' aot ' || true")).isEmpty();
  }

  // 2: the kernel's command line and limits.

  @Test
  @Order(5)
  void kernel_hasTheArgumentsByGrub() throws Exception {
    assertThat(vm.out("cat /proc/cmdline"))
        .contains("BOOT_IMAGE=")
        .contains("idle=poll")
        .contains("transparent_hugepage=always")
        .contains("intel_iommu=on,sm_on");
    assertThat(vm.out("cat /sys/kernel/mm/transparent_hugepage/enabled")).contains("[always]");
  }

  @Test
  @Order(6)
  void limits_holdInServiceSessionAndContainer() throws Exception {
    String limits = "ulimit -Sl; ulimit -Hl; ulimit -Sn; ulimit -Hn";
    var wanted = List.of("unlimited", "unlimited", "100000", "524288");

    assertThat(lines("systemd-run --quiet --wait --pipe bash -c '" + limits + "'"))
        .as("a service")
        .isEqualTo(wanted);
    assertThat(lines(limits)).as("a session of root by ssh").isEqualTo(wanted);
    assertThat(lines("su tpu-runtime -s /bin/bash -c '" + limits + "'"))
        .as("a session of a user")
        .isEqualTo(wanted);
    // As "Max locked memory  unlimited  unlimited  bytes"; the engine's own limit of files is
    // higher.
    String ofContainer = "docker exec tpu-bootd-vbar busybox cat /proc/1/limits | ";
    assertThat(vm.out(ofContainer + "grep 'locked memory'").split("  +"))
        .containsExactly("Max locked memory", "unlimited", "unlimited", "bytes");
    assertThat(Integer.parseInt(vm.out(ofContainer + "grep 'open files'").split("  +")[1]))
        .isGreaterThanOrEqualTo(100_000);
  }

  // 8: the files, by their readers.

  @Test
  @Order(7)
  void tpuEnv_isReadAlikeByBashAndSystemd() throws Exception {
    var wanted =
        MadeUpHost.TPU_ENV.lines().map(line -> line.replace("'", "").replace(": ", "=")).toList();
    String keys =
        "grep -E '^("
            + String.join("|", wanted.stream().map(x -> x.split("=")[0]).toList())
            + ")='";

    assertThat(lines("set -a; . /home/tpu-runtime/tpu-env; env | " + keys))
        .containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(
            lines(
                "systemd-run --quiet --wait --pipe"
                    + " -p EnvironmentFile=/home/tpu-runtime/tpu-env env | "
                    + keys))
        .containsExactlyInAnyOrderElementsOf(wanted);
  }

  @Test
  @Order(8)
  void workloadEnv_isReadAlikeByBashSystemdAndDocker() throws Exception {
    String file = "/run/tpu-bootd/workload.env";
    String ours =
        " | grep -E \"^($(cut -d= -f1 " + file + " | grep -v '#' | paste -sd '|'))=\" | sort";
    var byBash = lines("(set -a; . " + file + "; env)" + ours);

    assertThat(byBash).contains("TPU_WORKER_ID=1", "TPU_SKIP_MDS_QUERY=true");
    assertThat(
            lines("systemd-run --quiet --wait --pipe -p EnvironmentFile=" + file + " env" + ours))
        .isEqualTo(byBash);
    assertThat(
            lines(
                "docker run --rm --net=none --env-file "
                    + file
                    + " gcr.io/cloud-tpu-v2-images/vbar_control_agent:0.0.1 busybox env"
                    + ours))
        .isEqualTo(byBash);
  }

  @Test
  @Order(9)
  void environment_isReadByPamAndSystemd() throws Exception {
    String ours = "grep -E '^(CLOUDSDK_PYTHON|GCS_[A-Z_]*)=' | sort";
    var inTheFile = lines(ours.replace("grep", "cat /etc/environment | grep"));

    assertThat(inTheFile).hasSize(6).contains("CLOUDSDK_PYTHON=/usr/bin/python3");
    assertThat(vm.newSession("env | " + ours).ok().out().lines().toList())
        .as("a session by ssh")
        .isEqualTo(inTheFile);
    assertThat(lines("su - tpu-runtime -s /bin/bash -c env | " + ours))
        .as("su")
        .isEqualTo(inTheFile);
    assertThat(
            lines(
                "systemd-run --quiet --wait --pipe -p EnvironmentFile=/etc/environment env | "
                    + ours))
        .as("a service")
        .isEqualTo(inTheFile);
  }

  // 4: a function goes and comes.

  @Test
  @Order(10)
  void functionThatComesBack_isBoundAgain() throws Exception {
    String containers = vm.out(CONTAINERS);
    String seen =
        vm.out(
            """
            set -e
            x=$(%s | head -n 1)
            device=/sys/bus/pci/devices/$x
            echo 1 >$device/remove
            while [ -e $device ]; do sleep 0.1; done
            echo 1 >/sys/bus/pci/rescan &
            until [ -e $device/vendor ]; do :; done
            start=$(date +%%s%%N)
            until [ "$(readlink $device/driver)" ] && [ -e $device/iommu_group ] &&
              [ "$(stat -c %%a /dev/vfio/$(basename $(readlink $device/iommu_group)))" = 666 ]; do
              [ $SECONDS -lt 300 ]
            done
            echo $((($(date +%%s%%N) - start) / 1000000)) ms
            """
                .formatted(CHIPS));
    Measured.tell("VM: function appears, bound with an open node after", seen);

    assertThat(lines(DRIVERS)).isEqualTo(FOUR_VFIO);
    vm.awaits("ready", READY);
    assertThat(vm.out(CONTAINERS)).isEqualTo(containers);
  }

  // 5: the metadata server. That it is late at boot: see reboot.

  @Test
  @Order(11)
  void metadataServerGone_leavesEverythingAsItIs() throws Exception {
    String files = vm.out("sha256sum /home/tpu-runtime/tpu-env /run/tpu-bootd/workload.env");
    String containers = vm.out(CONTAINERS);
    int port = metadata.port();
    metadata.close();

    vm.awaits("the outage is told", "grep -q 'metadata server' <<<\"$(tpu-bootd status)\"");

    assertThat(vm.out("sha256sum /home/tpu-runtime/tpu-env /run/tpu-bootd/workload.env"))
        .isEqualTo(files);
    assertThat(vm.out(CONTAINERS)).isEqualTo(containers);
    vm.run(READY).ok();

    metadata = metadata(port);
    vm.awaits("the outage is over", "! grep -q 'metadata server' <<<\"$(tpu-bootd status)\"");
  }

  @Test
  @Order(12)
  void attributeChanged_isInTheFiles() throws Exception {
    String containers = vm.out(CONTAINERS);
    metadata.set("tpu-env", MadeUpHost.TPU_ENV.replace("WORKER_ID: '1'", "WORKER_ID: '0'"));

    vm.awaits("tpu-env", "grep -q '^WORKER_ID=\"0\"$' /home/tpu-runtime/tpu-env");
    vm.awaits("workload.env", "grep -q '^TPU_WORKER_ID=0$' /run/tpu-bootd/workload.env");
    assertThat(vm.out(CONTAINERS)).isEqualTo(containers);

    metadata.set("tpu-env", MadeUpHost.TPU_ENV);
    vm.awaits("tpu-env", "grep -q '^WORKER_ID=\"1\"$' /home/tpu-runtime/tpu-env");
  }

  // 6: the service and the engine.

  @Test
  @Order(13)
  void restartAndReload_leaveTheContainersAlone() throws Exception {
    String containers = vm.out(CONTAINERS);
    String process = vm.out("systemctl show -P MainPID tpu-bootd");

    vm.run("systemctl reload tpu-bootd").ok();
    assertThat(vm.out("systemctl show -P MainPID tpu-bootd")).isEqualTo(process);
    vm.run("systemctl restart tpu-bootd").ok();

    vm.awaits("ready", READY);
    assertThat(vm.out("systemctl show -P MainPID tpu-bootd")).isNotEqualTo(process);
    assertThat(vm.out(CONTAINERS)).isEqualTo(containers);
  }

  @Test
  @Order(14)
  void stop_stopsTheContainersAndStartRunsThemAgain() throws Exception {
    String ids = vm.out(IDS);

    vm.run("systemctl stop tpu-bootd").ok();
    assertThat(vm.out("docker ps -q")).isEmpty();
    assertThat(vm.out("systemctl show -P Result tpu-bootd")).isEqualTo("success");
    // A job may go on: its devices stay bound, its variables are there.
    assertThat(lines(DRIVERS)).isEqualTo(FOUR_VFIO);
    vm.run("test -s /run/tpu-bootd/workload.env").ok();

    vm.run("systemctl start tpu-bootd").ok();
    vm.awaits("ready", READY);
    assertThat(vm.out(IDS)).isEqualTo(ids);
  }

  @Test
  @Order(15)
  void daemonKilled_comesBackAndAdopts() throws Exception {
    String containers = vm.out(CONTAINERS);
    String process = vm.out("systemctl show -P MainPID tpu-bootd");

    vm.run("kill -KILL " + process).ok();

    vm.awaits(
        "another process",
        "! systemctl show -P MainPID tpu-bootd | grep -qE '^(0|" + process + ")$'");
    vm.awaits("ready", READY);
    assertThat(vm.out(CONTAINERS)).isEqualTo(containers);
  }

  @Test
  @Order(16)
  void hungDaemon_isEndedByTheWatchdogWithItsStacks() throws Exception {
    String containers = vm.out(CONTAINERS);
    String process = vm.out("systemctl show -P MainPID tpu-bootd");

    vm.run("kill -STOP " + process).ok();

    vm.awaits(
        "another process",
        "! systemctl show -P MainPID tpu-bootd | grep -qE '^(0|" + process + ")$'");
    vm.awaits("ready", READY);
    assertThat(vm.out("journalctl -b -u tpu-bootd | grep -c 'Watchdog timeout'")).isEqualTo("1");
    assertThat(vm.out(CONTAINERS)).isEqualTo(containers);
  }

  @Test
  @Order(17)
  void engineRestartedAndKilled_bothRunAgain() throws Exception {
    String ids = vm.out(IDS);

    vm.run("systemctl restart docker").ok();
    vm.awaits("both containers", BOTH_RUN + " && " + READY);
    vm.run("systemctl kill --signal=KILL docker").ok();
    vm.awaits("both containers", "systemctl is-active docker && " + BOTH_RUN + " && " + READY);

    assertThat(vm.out(IDS)).isEqualTo(ids);
  }

  // 3: a reboot, on which the metadata server is late by a minute.

  @Test
  @Order(18)
  void reboot_metadataServerLate_waitsAndTellsSo() throws Exception {
    before =
        vm.out(IDS + "; sha256sum /etc/environment /home/tpu-runtime/tpu-env /etc/tpu/tpu-env");
    int port = metadata.port();
    metadata.close();

    vm.reboot();

    vm.awaits(
        "a minute of waiting",
        "start=$(systemctl show -P InactiveExitTimestampMonotonic tpu-bootd);"
            + " read -r up _ </proc/uptime; test \"$start\" -gt 0 &&"
            + " test $((${up%.*} - start / 1000000)) -gt 60");
    vm.awaits("status", "grep -q '^devices  *ok' <<<\"$(tpu-bootd status)\"");
    assertThat(vm.run(READY).code()).isNotZero();
    assertThat(vm.out("systemctl show -P StatusText tpu-bootd"))
        .contains("the metadata server is away");
    assertThat(lines(DRIVERS)).isEqualTo(FOUR_VFIO);

    metadata = metadata(port);
    vm.awaits("ready", READY);
    vm.awaits("boot finished", "systemctl is-system-running --wait");
  }

  @Test
  @Order(19)
  void reboot_endsInTheSameState() throws Exception {
    assertThat(
            vm.out(IDS + "; sha256sum /etc/environment /home/tpu-runtime/tpu-env /etc/tpu/tpu-env"))
        .isEqualTo(before);
    assertThat(vm.out(BOTH_RUN + "; docker ps -aq | wc -l")).isEqualTo("2");
    // As the engine tells of this boot: none was started twice.
    assertThat(
            lines(
                "docker events --since 1 --until $(date +%s) --filter type=container"
                    + " --filter event=start --format '{{.Actor.Attributes.name}}' | sort"))
        .containsExactly("tpu-bootd-telemetry", "tpu-bootd-vbar");
    assertThat(vm.out("sort /etc/environment | grep = | cut -d= -f1 | uniq -d")).isEmpty();
  }

  // 7: the package changes and goes.

  @Test
  @Order(20)
  void upgrade_leavesTheContainersAlone(@TempDir Path work) throws Exception {
    String containers = vm.out(CONTAINERS);
    String process = vm.out("systemctl show -P MainPID tpu-bootd");
    Path newer = BuiltPackage.newer(work);
    vm.put(newer, "/root/newer.deb");

    vm.run("DEBIAN_FRONTEND=noninteractive dpkg -i /root/newer.deb").ok();

    vm.awaits("ready", READY);
    assertThat(vm.out("dpkg-query -W -f '${Version}' tpu-bootd")).endsWith("+1");
    assertThat(vm.out("systemctl show -P MainPID tpu-bootd")).isNotIn(process, "0");
    assertThat(vm.out(CONTAINERS)).isEqualTo(containers);
  }

  @Test
  @Order(21)
  void purge_leavesNothing() throws Exception {
    // The images were laid beside the package by whoever made the VM's image.
    vm.run("rm -r /usr/share/tpu-bootd").ok();

    vm.run("DEBIAN_FRONTEND=noninteractive apt-get -q purge -y tpu-bootd").ok();

    assertThat(vm.out("systemctl list-unit-files --no-legend 'tpu-bootd*' || true")).isEmpty();
    assertThat(vm.out("systemctl list-units --all --no-legend 'tpu-bootd*'")).isEmpty();
    assertThat(vm.out("getent passwd tpu-runtime; getent group tpu-runtime; true")).isEmpty();
    assertThat(vm.out("cat /etc/environment")).doesNotContain("CLOUDSDK", "GCS_", "tpu-bootd");
    assertThat(vm.out("cat /boot/grub/grub.cfg")).contains("linux").doesNotContain("idle=poll");
    assertThat(vm.out("docker ps -aq")).isEmpty();
    assertThat(
            lines(
                "find / -xdev \\( -path /proc -o -path /root -o -path /var/lib/docker"
                    + " -o -path /var/log \\) -prune"
                    + " -o \\( -name '*tpu*bootd*' -o -name 'tpu-env' -o -name 'tpu-runtime' \\)"
                    + " -print; find /run -name '*tpu*bootd*'"))
        .isEmpty();
  }
}
