package org.tpubootd.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A directory that looks like a TPU host's {@code /sys}, {@code /proc} and {@code /dev}, and
 * behaves like them: writing to {@code driver_override}, {@code unbind}, {@code bind}, {@code
 * drivers_probe}, {@code remove} and {@code rescan} moves driver links and makes and removes nodes,
 * whichever process writes. Beside the TPU there are a bridge, an NVMe disk that the root is
 * mounted from, and a gVNIC with a route. Faults can be switched on. Thread-safe.
 */
public final class SysfsTree implements AutoCloseable {

  /** What the kernel does wrong from now on. */
  public enum Fault {
    /** A write to {@code unbind} succeeds, and the driver stays. */
    UNBIND_DOES_NOTHING,
    /** A write to {@code drivers_probe} succeeds, and vfio-pci does not take the function. */
    PROBE_FINDS_NO_DRIVER,
    /** vfio-pci takes the function, and {@code /dev/vfio/GROUP} does not appear. */
    NODE_NEVER_APPEARS
  }

  private static final int FIRST_TPU_SLOT = 5;

  private final Path root;
  private final SysfsFiles files;
  private final SysfsHost host;
  private final SysfsFunction.Generation generation;
  private final SysfsKernel kernel;
  private final Set<String> hanging = new HashSet<>();
  private int tpus = 0;

  private SysfsTree(Path root, SysfsFunction.Generation generation) throws IOException {
    this.root = root;
    this.generation = generation;
    files = new SysfsFiles(root);
    host = new SysfsHost(files);
    kernel = new SysfsKernel(files, host);
  }

  /**
   * Makes a host with TPUs that no driver has taken (v2 to v4: that Google's own driver has).
   *
   * @param root is made; {@code sys}, {@code proc} and {@code dev} in it are made anew
   * @param generation v2, v3, v4, v5p, v5e, v6e or tpu7x
   * @param chips 0 for a host without a TPU
   */
  public static SysfsTree create(Path root, String generation, int chips) throws IOException {
    var known = SysfsFunction.GENERATIONS.get(generation);
    if (known == null) {
      throw new IllegalArgumentException(
          "no generation '%s'; there are %s"
              .formatted(generation, new TreeMap<>(SysfsFunction.GENERATIONS).keySet()));
    }
    Files.createDirectories(root);
    var tree = new SysfsTree(root.toRealPath(), known);
    tree.makeHost();
    for (int i = 0; i < chips; i++) {
      tree.plugInChip();
    }
    tree.kernel.start();
    return tree;
  }

  private synchronized void makeHost() throws IOException {
    for (String top : List.of("/sys", "/proc", "/dev")) {
      files.deleteAll(top);
    }
    host.makeProc(true);
    files.directory("/dev/vfio");
    kernel.makeBus();
    kernel.loadVfio();
    kernel.plug(other("0000:00:00.0", "8086", "1237", "060000", Optional.empty(), 0));
    kernel.plug(other("0000:00:01.0", "8086", "7110", "060400", Optional.of("pcieport"), 1));
    kernel.plug(other("0000:00:03.0", "1ae0", "001f", "010802", Optional.of("nvme"), 2));
    kernel.plug(other("0000:00:04.0", "1ae0", "0042", "020000", Optional.of("gvnic"), 3));
    host.makeDiskAndNetwork();
  }

  private static SysfsFunction other(
      String bdf, String vendor, String device, String code, Optional<String> driver, int group) {
    return new SysfsFunction(bdf, vendor, device, vendor, "0058", code, driver, group);
  }

  /** The directory to hand in as the host's root. */
  public Path root() {
    return root;
  }

  /** The addresses of the TPU's functions that are plugged in. */
  public synchronized List<String> functions() {
    return kernel.functions().stream()
        .filter(function ->
            function.vendor().equals("1ae0") && function.device().equals(generation.device()))
        .map(SysfsFunction::bdf)
        .toList();
  }

  /** The number of a function's IOMMU group. */
  public synchronized String group(String bdf) {
    return String.valueOf(kernel.function(bdf).group());
  }

  /** The driver that has a function now. */
  public Optional<String> driver(String bdf) throws IOException {
    return kernel.driver(bdf);
  }

  /** The text of a file, by its path on the host. */
  public String read(String onHost) throws IOException {
    return Files.readString(files.path(onHost));
  }

  /** Writes a file, by its path on the host, such as {@code /proc/cmdline}. */
  public void write(String onHost, String text) throws IOException {
    files.write(onHost, text);
  }

  /** The permission bits of a node in octal, such as {@code 0666}; empty where it is not there. */
  public Optional<String> mode(String onHost) throws IOException {
    Path path = files.path(onHost);
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        ? Optional.of("%04o".formatted((Integer) Files.getAttribute(path, "unix:mode") & 0777))
        : Optional.empty();
  }

  /** Sets the mode of a node as somebody else would, such as {@code rw-------}. */
  public void setMode(String onHost, String permissions) throws IOException {
    Files.setPosixFilePermissions(files.path(onHost), PosixFilePermissions.fromString(permissions));
  }

  public void inject(Fault fault) {
    kernel.faults().add(fault);
  }

  public void heal(Fault fault) {
    kernel.faults().remove(fault);
  }

  /** From now on, what follows from a write comes so much later. */
  public void delayReactions(Duration delay) {
    kernel.delay(delay);
  }

  /** From now on, opening this file for writing blocks, as a write that hangs in the kernel. */
  public synchronized void hangWrites(String onHost) throws IOException {
    files.delete(onHost);
    files.fifo(onHost, "600");
    hanging.add(onHost);
  }

  /** From now on, writing to this file is an error: "Is a directory", also for root. */
  public synchronized void failWrites(String onHost) throws IOException {
    files.delete(onHost);
    files.directory(onHost);
  }

  /** The file takes writes again. Writes that hung end now, without effect. */
  public synchronized void repair(String onHost) throws IOException {
    if (hanging.remove(onHost)) {
      files.releaseFifo(onHost);
    } else {
      files.delete(onHost);
    }
    files.write(onHost, onHost.endsWith("/driver_override") ? "(null)\n" : "");
  }

  /** Puts the TPU's functions into the hands of a driver that is not vfio-pci. */
  public synchronized void giveToDriver(String driver) throws IOException {
    for (String bdf : functions()) {
      kernel.giveToDriver(kernel.function(bdf), driver);
    }
  }

  /** Puts a function that is not bound yet into the group of another. */
  public synchronized void joinGroups(String bdf, String other) throws IOException {
    kernel.moveToGroup(kernel.function(bdf), kernel.function(other).group());
  }

  /**
   * Puts a network card with its driver into the group of a function.
   *
   * @return the card's address
   */
  public synchronized String addForeignMember(String bdf) throws IOException {
    var card =
        other(
            "0000:00:1e.0",
            "8086",
            "100e",
            "020000",
            Optional.of("e1000"),
            kernel.function(bdf).group());
    kernel.plug(card);
    return card.bdf();
  }

  /** Plugs in any other function of Google's, in a group of its own and without a driver. */
  public synchronized void plugInOther(String bdf, String device, String subsystemDevice)
      throws IOException {
    kernel.plug(
        new SysfsFunction(
            bdf, "1ae0", device, "1ae0", subsystemDevice, "ff0000", Optional.empty(), 40));
  }

  /** As after a boot without the kernel argument: no groups, no argument. */
  public synchronized void switchIommuOff() throws IOException {
    host.makeProc(false);
    kernel.bootWithoutIommu();
  }

  /** As with a kernel whose modules are not loaded. */
  public synchronized void unloadModules() throws IOException {
    files.deleteAll("/sys/bus/pci/drivers/vfio-pci");
    files.deleteAll("/sys/module/vfio_iommu_type1");
    files.deleteAll("/dev/vfio/vfio");
  }

  /** What modprobe would do. */
  public synchronized void loadModules() throws IOException {
    kernel.loadVfio();
  }

  /** As with a kernel that does not let {@code allow_unsafe_interrupts} be changed. */
  public void makeParameterReadOnly() throws IOException {
    setMode(SysfsHost.PARAMETER, "r--r--r--");
  }

  /**
   * Plugs in one more chip.
   *
   * @return its functions' addresses
   */
  public synchronized List<String> plugInChip() throws IOException {
    var plugged = new ArrayList<String>();
    for (int i = 0; i < generation.functionsPerChip(); i++) {
      int slot = FIRST_TPU_SLOT + tpus / generation.functionsPerChip();
      String bdf = "0000:00:%02x.%d".formatted(slot, i);
      kernel.plug(SysfsFunction.tpu(generation, bdf, SysfsFunction.FIRST_TPU_GROUP + tpus));
      tpus++;
      plugged.add(bdf);
    }
    return plugged;
  }

  /** Pulls a function out; writing to {@code rescan} brings it back. */
  public synchronized void unplug(String bdf) throws IOException {
    kernel.unplug(bdf);
  }

  /** Ends the reactions and every write that hangs; the files stay. */
  @Override
  public synchronized void close() throws IOException {
    kernel.close();
    for (String onHost : hanging) {
      files.releaseFifo(onHost);
    }
    hanging.clear();
  }
}
