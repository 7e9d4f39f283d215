package org.tpubootd.tests.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tpubootd.config.DevicesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Bell;
import org.tpubootd.core.Board;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.core.Step;
import org.tpubootd.core.Time;
import org.tpubootd.pci.AppearanceWatch;
import org.tpubootd.pci.Devices;
import org.tpubootd.pci.Expected;
import org.tpubootd.pci.ModuleLoader;
import org.tpubootd.testbed.SysfsTree;
import org.tpubootd.testbed.SysfsTree.Fault;

/** The devices' component against a sysfs that behaves. */
class DevicesIT {

  /** Long enough for a reaction on a busy machine. */
  private static final Duration PATIENT = Duration.ofSeconds(20);

  /** For what never comes. */
  private static final Duration SHORT = Duration.ofMillis(300);

  private static final String PARAMETER =
      "/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts";
  private static final String FIRST = "0000:00:05.0";
  private static final String FIRST_OVERRIDE = "/sys/bus/pci/devices/0000:00:05.0/driver_override";

  @TempDir Path root;
  private SysfsTree tree;
  private final List<String> loaded = new ArrayList<>();
  private ModuleLoader loader = loaded::add;
  private Optional<Expected> expected = Optional.of(Expected.NOTHING);

  @AfterEach
  void closeTree() throws IOException {
    tree.close();
  }

  @ParameterizedTest
  @CsvSource({
    "v5p, 4, 4, 4 v5p chips ready",
    "v5e, 8, 8, 8 v5e chips ready",
    "v6e, 1, 1, 1 v6e chip ready",
    "tpu7x, 4, 8, 4 tpu7x chips ready"
  })
  void pass_bindsEveryFunctionAndOpensItsNode(
      String generation, int chips, int functions, String summary) throws Exception {
    tree = SysfsTree.create(root, generation, chips);

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).as("%s", found).isEqualTo(State.OK);
    assertThat(found.summary()).isEqualTo(summary);
    assertThat(tree.functions())
        .hasSize(functions)
        .allSatisfy(bdf -> {
          assertThat(tree.driver(bdf)).contains("vfio-pci");
          assertThat(tree.mode("/dev/vfio/" + tree.group(bdf))).contains("0666");
        });
    assertThat(tree.mode("/dev/vfio/vfio")).contains("0666");
    assertThat(tree.read(PARAMETER)).isEqualTo("Y");
    assertThat(found.notes()).singleElement().asString().contains("can raise interrupts");
  }

  @Test
  void pass_leavesTheDiskAndTheNetworkCardAlone() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);

    pass(devices(PATIENT));

    assertThat(tree.driver("0000:00:03.0")).contains("nvme");
    assertThat(tree.driver("0000:00:04.0")).contains("gvnic");
    assertThat(tree.read("/sys/bus/pci/devices/0000:00:03.0/driver_override"))
        .isEqualTo("(null)\n");
  }

  @ParameterizedTest
  @CsvSource({"v2", "v3", "v4"})
  void pass_accelGenerationsKeepTheirDriverAndGetTheirNodesOpened(String generation)
      throws Exception {
    tree = SysfsTree.create(root, generation, 4);

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).as("%s", found).isEqualTo(State.OK);
    assertThat(tree.functions())
        .allSatisfy(bdf -> assertThat(tree.driver(bdf)).contains("google-accel"));
    assertThat(tree.mode("/dev/accel3")).contains("0666");
    assertThat(tree.read(PARAMETER)).isEqualTo("N\n");
    assertThat(loaded).isEmpty();
  }

  @Test
  void plan_namesEveryChangeAndMakesNone() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    tree.giveToDriver("old-tpu");
    Map<String, String> before = everything();

    var plan = devices(PATIENT).plan();

    assertThat(plan.steps())
        .extracting(Step::what, Step::why)
        .containsExactly(
            tuple(
                "set " + PARAMETER + " to Y",
                "without interrupt remapping vfio gives no device to a program otherwise"),
            tuple("bind 0000:00:05.0 (v5p) to vfio-pci", "it has driver old-tpu"),
            tuple("bind 0000:00:06.0 (v5p) to vfio-pci", "it has driver old-tpu"),
            tuple("set the mode of /dev/vfio/8 to 0666", "it is not there yet"),
            tuple("set the mode of /dev/vfio/9 to 0666", "it is not there yet"),
            tuple("set the mode of /dev/vfio/vfio to 0666", "it is 0600"));
    assertThat(plan.now().state()).isEqualTo(State.WAITING);
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void plan_hasNoStepsWhenAllIsRight() throws Exception {
    tree = SysfsTree.create(root, "v6e", 4);
    Devices devices = devices(PATIENT);
    pass(devices);

    assertThat(devices.plan().steps()).isEmpty();
  }

  @Test
  void pass_takesFunctionsFromAnotherDriver() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    tree.giveToDriver("old-tpu");

    assertThat(pass(devices(PATIENT)).state()).isEqualTo(State.OK);
    assertThat(tree.driver(FIRST)).contains("vfio-pci");
  }

  @Test
  void pass_waitsForAKernelThatReactsLate() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.giveToDriver("old-tpu");
    tree.delayReactions(Duration.ofMillis(100));

    assertThat(pass(devices(PATIENT)).state()).isEqualTo(State.OK);
  }

  @Test
  void pass_unbindThatDoesNothingIsRolledBack() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.giveToDriver("old-tpu");
    tree.inject(Fault.UNBIND_DOES_NOTHING);

    Finding found = pass(devices(SHORT));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.causeIfAny().orElseThrow())
        .contains("/sys/bus/pci/drivers/old-tpu/unbind came back without an error")
        .contains("the group is as it was before");
    assertThat(tree.driver(FIRST)).contains("old-tpu");
    awaitText(FIRST_OVERRIDE, "(null)\n");
  }

  @Test
  void pass_probeWithoutEffectGivesTheFormerDriverBack() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.giveToDriver("old-tpu");
    // As the page's script leaves it after a failed try: it must not keep the old driver away.
    tree.write(FIRST_OVERRIDE, "vfio-pci");
    tree.inject(Fault.PROBE_FINDS_NO_DRIVER);

    Finding found = pass(devices(Duration.ofSeconds(2)));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary())
        .isEqualTo("0 of 1 v5p functions ready: a function could not be bound");
    assertThat(found.causeIfAny().orElseThrow())
        .contains("vfio-pci did not take the function (it has no driver)")
        .contains("the group is as it was before");
    assertThat(tree.driver(FIRST)).contains("old-tpu");
    awaitText(FIRST_OVERRIDE, "(null)\n");
  }

  @Test
  void pass_nodeThatNeverAppearsIsAFailureOfItsOwn() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.inject(Fault.NODE_NEVER_APPEARS);

    Finding found = pass(devices(Duration.ofSeconds(1)));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.causeIfAny().orElseThrow()).contains("/dev/vfio/8 did not appear within");
    assertThat(tree.driver(FIRST)).contains("vfio-pci");
  }

  @Test
  void pass_writeErrorOnOneFunctionLeavesTheOthersBound() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    tree.giveToDriver("old-tpu");
    tree.failWrites(FIRST_OVERRIDE);

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary()).startsWith("3 of 4 v5p functions ready");
    assertThat(found.causeIfAny().orElseThrow())
        .startsWith("0000:00:05.0: reading " + FIRST_OVERRIDE + " failed: Is a directory");
    assertThat(tree.driver(FIRST)).contains("old-tpu");
    assertThat(tree.driver("0000:00:06.0")).contains("vfio-pci");
  }

  @Test
  void pass_writeThatHangsIsNamedWithItsHolderAndNotRepeated() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.giveToDriver("old-tpu");
    tree.hangWrites("/sys/bus/pci/drivers/old-tpu/unbind");
    process(4711, "python3", "/dev/vfio/8");
    Devices devices = devices(SHORT);

    Finding found = pass(devices);
    pass(devices);
    Finding later = pass(devices);

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary()).isEqualTo("0 of 1 v5p functions ready: a write to sysfs hangs");
    assertThat(found.causeIfAny().orElseThrow())
        .contains("writing '0000:00:05.0' to /sys/bus/pci/drivers/old-tpu/unbind")
        .contains("process 4711 (python3) holds /dev/vfio/8");
    assertThat(later.causeIfAny().orElseThrow()).contains("old-tpu/unbind has not come back");
    assertThat(threadsThatWrite()).hasSize(1);

    tree.repair("/sys/bus/pci/drivers/old-tpu/unbind");
    await().until(() -> threadsThatWrite().isEmpty());

    assertThat(pass(devices(PATIENT)).state()).isEqualTo(State.OK);
  }

  @Test
  void pass_hangOnOneFunctionLeavesTheOthersBound() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    tree.hangWrites(FIRST_OVERRIDE);

    Finding found = pass(devices(Duration.ofSeconds(2)));

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary()).isEqualTo("3 of 4 v5p functions ready: a write to sysfs hangs");
    assertThat(tree.driver("0000:00:08.0")).contains("vfio-pci");
  }

  @Test
  void pass_functionsOfOneGroupAreBoundTogether() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    tree.joinGroups("0000:00:06.0", FIRST);

    assertThat(pass(devices(PATIENT)).state()).isEqualTo(State.OK);
    assertThat(tree.driver("0000:00:06.0")).contains("vfio-pci");
    assertThat(tree.mode("/dev/vfio/9")).isEmpty();
  }

  @Test
  void pass_failureOfOneFunctionGivesItsWholeGroupBack() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    tree.giveToDriver("old-tpu");
    tree.joinGroups("0000:00:06.0", FIRST);
    tree.failWrites("/sys/bus/pci/devices/0000:00:06.0/driver_override");

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.causeIfAny().orElseThrow())
        .contains("0000:00:05.0: it was not bound, since 0000:00:06.0 of its IOMMU group could not")
        .contains("Is a directory; the group is as it was before");
    assertThat(tree.driver(FIRST)).contains("old-tpu");
    assertThat(tree.mode("/dev/vfio/8")).isEmpty();
    awaitText(FIRST_OVERRIDE, "(null)\n");
  }

  @Test
  void pass_rollBackLeavesAFunctionThatAProgramHasOpenedMeanwhile() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    tree.giveToDriver("old-tpu");
    tree.joinGroups("0000:00:06.0", FIRST);
    tree.failWrites("/sys/bus/pci/devices/0000:00:06.0/driver_override");
    process(4711, "python3", "/dev/vfio/8");

    Finding found = pass(devices(PATIENT));

    assertThat(found.causeIfAny().orElseThrow())
        .contains("not undone: 0000:00:05.0: it stays with vfio-pci, since process 4711 (python3)");
    assertThat(tree.driver(FIRST)).contains("vfio-pci");
  }

  @Test
  void pass_functionThatSomebodyBoundAfterTheLookIsNotTakenFromVfioAgain() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.giveToDriver("old-tpu");
    var plan = devices(PATIENT).plan();
    pass(devices(PATIENT)); // another tpu-bootd
    Object node = Files.getAttribute(root.resolve("dev/vfio/8"), "unix:ctime");

    Finding found = plan.carryOut(_ -> {});

    assertThat(found.state()).as("%s", found).isEqualTo(State.OK);
    assertThat(tree.driver(FIRST)).contains("vfio-pci");
    // An unbind in between would have made the node anew.
    assertThat(Files.getAttribute(root.resolve("dev/vfio/8"), "unix:ctime")).isEqualTo(node);
  }

  @Test
  void pass_rollBackLeavesAFunctionThatSomebodyElseHasBound() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    tree.joinGroups("0000:00:06.0", FIRST);
    tree.giveToDriver("old-tpu");
    tree.failWrites("/sys/bus/pci/devices/0000:00:06.0/driver_override");
    var plan = devices(PATIENT).plan();
    // As the page's udev script does it.
    tree.write(FIRST_OVERRIDE, "vfio-pci");
    tree.write("/sys/bus/pci/drivers/old-tpu/unbind", FIRST);
    await().until(() -> tree.driver(FIRST).isEmpty());
    tree.write("/sys/bus/pci/drivers_probe", FIRST);
    await().until(() -> tree.driver(FIRST).equals(Optional.of("vfio-pci")));

    Finding found = plan.carryOut(_ -> {});

    assertThat(found.causeIfAny().orElseThrow())
        .contains("0000:00:05.0: it stays with vfio-pci, since somebody else has bound it");
    assertThat(tree.driver(FIRST)).contains("vfio-pci");
    assertThat(tree.read(FIRST_OVERRIDE)).isEqualTo("vfio-pci");
  }

  @Test
  void pass_foreignMemberBlocksItsGroupAndIsNamed() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    String card = tree.addForeignMember(FIRST);

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary()).isEqualTo("1 of 2 v5p functions ready: IOMMU group 8 is blocked");
    assertThat(found.causeIfAny().orElseThrow())
        .contains("0000:00:1e.0 (8086:100e, subsystem 8086:0058, driver e1000)");
    assertThat(tree.driver(card)).contains("e1000");
    assertThat(tree.driver(FIRST)).isEmpty();
    assertThat(tree.read(FIRST_OVERRIDE)).isEqualTo("(null)\n");
  }

  @Test
  void pass_withoutIommuNamesTheMissingArgument() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    tree.switchIommuOff();
    Map<String, String> before = everything();

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary()).isEqualTo("0 of 4 v5p functions ready: the IOMMU is off");
    assertThat(found.causeIfAny().orElseThrow())
        .isEqualTo(
            "0000:00:05.0, 0000:00:06.0, 0000:00:07.0, 0000:00:08.0: it has no IOMMU group, since"
                + " the kernel argument intel_iommu=on,sm_on is missing from /proc/cmdline");
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void pass_loadsModulesThatAreMissing() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    tree.unloadModules();
    loader =
        module -> {
          loaded.add(module);
          try {
            tree.loadModules();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        };

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).as("%s", found).isEqualTo(State.OK);
    assertThat(loaded).containsExactly("vfio-pci", "vfio_iommu_type1");
    assertThat(tree.read(PARAMETER)).isEqualTo("Y");
  }

  @Test
  void pass_moduleThatCannotBeLoadedIsAFindingOfItsOwn() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    tree.unloadModules();
    loader = ModuleLoader.modprobe(new HostRoot(tree.root()), SHORT);

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.summary())
        .isEqualTo("0 of 4 v5p functions ready: the module vfio-pci is missing");
    assertThat(found.causeIfAny().orElseThrow())
        .contains(
            "modprobe vfio-pci was not run: " + tree.root() + " is not the machine's own root");
    assertThat(tree.driver(FIRST)).isEmpty();
  }

  @Test
  void pass_readOnlyParameterIsANote() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    tree.makeParameterReadOnly();

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes()).singleElement().asString().contains("read-only in this kernel");
    assertThat(tree.read(PARAMETER)).isEqualTo("N\n");
  }

  @Test
  void pass_parameterThatHangsDegradesAndKeepsNoChipFromBeingBound() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.hangWrites(PARAMETER);

    Finding found = pass(devices(Duration.ofSeconds(1)));

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.summary())
        .isEqualTo("1 of 1 v5p functions ready: allow_unsafe_interrupts is off");
    assertThat(found.causeIfAny().orElseThrow()).contains("still hangs");
  }

  @Test
  void pass_repairsModeAndParameterOfWhatIsBoundAlready() throws Exception {
    tree = SysfsTree.create(root, "v5p", 4);
    Devices devices = devices(PATIENT);
    pass(devices);
    tree.setMode("/dev/vfio/8", "rw-------");
    tree.setMode("/dev/vfio/vfio", "rw-rw----");
    tree.write(PARAMETER, "N\n");

    assertThat(pass(devices).state()).isEqualTo(State.OK);
    assertThat(tree.mode("/dev/vfio/8")).contains("0666");
    assertThat(tree.mode("/dev/vfio/vfio")).contains("0666");
    assertThat(tree.read(PARAMETER)).isEqualTo("Y");
  }

  @Test
  void pass_reportsGoogleFunctionsThatAreNotOnTheTableAndNeverBindsThem() throws Exception {
    tree = SysfsTree.create(root, "v5p", 1);
    tree.plugInOther("0000:00:1f.0", "0099", "0001");
    tree.plugInOther("0000:00:1f.1", "0062", "00ff");
    tree.plugInOther("0000:00:1f.2", "006e", "00d1");

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.OK);
    assertThat(found.notes())
        .anyMatch(
            note -> note.startsWith("0000:00:1f.0 (1ae0:0099, subsystem 1ae0:0001) is a func"))
        .anyMatch(note -> note.contains("has the device id of a v5p but another subsystem id"))
        .anyMatch(note -> note.contains("is the physical function of a v6e: it is not bound"));
    assertThat(List.of("0000:00:1f.0", "0000:00:1f.1", "0000:00:1f.2"))
        .allSatisfy(bdf -> assertThat(tree.driver(bdf)).isEmpty());
  }

  @Test
  void pass_functionPulledOutWhileItIsBoundIsNoFailure() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    // The first never gets its driver, so the pass waits for it until it is pulled out.
    tree.inject(Fault.PROBE_FINDS_NO_DRIVER);
    var result = new CompletableFuture<Finding>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            result.complete(pass(devices(PATIENT)));
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    awaitText(FIRST_OVERRIDE, "vfio-pci");
    tree.unplug(FIRST);
    tree.heal(Fault.PROBE_FINDS_NO_DRIVER);

    Finding found = result.get();

    assertThat(found.state()).as("%s", found).isEqualTo(State.OK);
    assertThat(found.summary()).isEqualTo("1 v5p chip ready");
  }

  @Test
  void pass_comparesWithWhatTpuEnvPromises() throws Exception {
    tree = SysfsTree.create(root, "v5p", 2);
    expected = Optional.of(Expected.from(Optional.of("v6e-16"), Optional.of("2,2,1")));

    Finding found = pass(devices(PATIENT));

    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.causeIfAny().orElseThrow())
        .isEqualTo(
            "tpu-env says v6e, but the PCI functions are of v5p; tpu-env promises 4 chips on this"
                + " host (CHIPS_PER_HOST_BOUNDS), but PCI shows 2");
    assertThat(found.facts()).containsEntry("chips", 2).containsEntry("expectedChips", 4);
  }

  @Test
  void watch_functionThatAppearsLaterIsBound() throws Exception {
    tree = SysfsTree.create(root, "v6e", 0);
    var bell = new Bell();
    var board = new Board(Time.system());
    Devices devices = devices(PATIENT);
    board.enlist(devices.part());
    var backoff = new Backoff(Duration.ofHours(1), Duration.ofHours(1), new Random(1));
    var threads =
        List.of(
            Thread.ofVirtual().start(new ControlLoop(devices, board, backoff, Time.system(), bell)),
            Thread.ofVirtual()
                .start(
                    new AppearanceWatch(
                        new HostRoot(tree.root()), Duration.ofMillis(20), Time.system(), bell)));
    try {
      board.await(now -> now.condition(Devices.NAME).orElseThrow().state() == State.INERT);

      String bdf = tree.plugInChip().getFirst();

      board.await(now -> now.condition(Devices.NAME).orElseThrow().state() == State.OK);
      assertThat(tree.driver(bdf)).contains("vfio-pci");
      assertThat(tree.mode("/dev/vfio/" + tree.group(bdf))).contains("0666");

      tree.write("/sys/bus/pci/devices/" + bdf + "/remove", "1");
      board.await(now -> now.condition(Devices.NAME).orElseThrow().state() == State.INERT);
      tree.write("/sys/bus/pci/rescan", "1");
      board.await(now -> now.condition(Devices.NAME).orElseThrow().state() == State.OK);
    } finally {
      threads.forEach(Thread::interrupt);
    }
  }

  private Devices devices(Duration writeDeadline) {
    var config =
        new DevicesConfig(
            true,
            true,
            0666,
            DevicesConfig.UnsafeInterrupts.AUTO,
            writeDeadline,
            Duration.ofHours(1),
            Duration.ofMillis(20),
            List.of());
    return new Devices(new HostRoot(tree.root()), config, () -> expected, Time.system(), loader);
  }

  private static Finding pass(Devices devices) throws IOException, InterruptedException {
    return devices.plan().carryOut(_ -> {});
  }

  private void awaitText(String onHost, String text) {
    await().untilAsserted(() -> assertThat(tree.read(onHost)).isEqualTo(text));
  }

  private void process(int pid, String name, String holds) throws IOException {
    tree.write("/proc/" + pid + "/comm", name + "\n");
    Path descriptors = Files.createDirectories(tree.root().resolve("proc/" + pid + "/fd"));
    Files.createSymbolicLink(descriptors.resolve("7"), Path.of(holds));
  }

  private static List<String> threadsThatWrite() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("writing '0000:00:05.0' to"))
        .toList();
  }

  /** Every file, link and mode of the tree. */
  private Map<String, String> everything() throws IOException {
    var all = new TreeMap<String, String>();
    try (Stream<Path> walk = Files.walk(tree.root())) {
      for (Path path : walk.toList()) {
        String what = "mode " + Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if (Files.isSymbolicLink(path)) {
          what += " to " + Files.readSymbolicLink(path);
        } else if (Files.isRegularFile(path)) {
          what += " with " + Files.readString(path);
        }
        all.put(path.toString(), what);
      }
    }
    return all;
  }
}
