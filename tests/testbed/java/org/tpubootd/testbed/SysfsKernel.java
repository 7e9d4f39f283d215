package org.tpubootd.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.tpubootd.testbed.SysfsTree.Fault;

/** What a kernel knows of its PCI functions, and what it does when somebody writes to sysfs. */
final class SysfsKernel implements AutoCloseable {

  private static final String VFIO_PCI = "vfio-pci";

  private final SysfsFiles files;
  private final SysfsHost host;
  private final SysfsReactions reactions;
  private final Map<String, SysfsFunction> present = new TreeMap<>();
  private final Map<String, SysfsFunction> removed = new TreeMap<>();
  private final Map<String, String> overrides = new TreeMap<>();
  private final Set<Fault> faults = Collections.synchronizedSet(EnumSet.noneOf(Fault.class));
  private volatile Duration delay = Duration.ZERO;
  private boolean iommu = true;

  SysfsKernel(SysfsFiles files, SysfsHost host) throws IOException {
    this.files = files;
    this.host = host;
    reactions = new SysfsReactions(files.path("/"), this::written);
  }

  /** From now on it reacts. */
  void start() {
    reactions.start();
  }

  @Override
  public void close() throws IOException {
    reactions.close();
  }

  Set<Fault> faults() {
    return faults;
  }

  void delay(Duration delay) {
    this.delay = delay;
  }

  /** The functions that are plugged in. */
  synchronized List<SysfsFunction> functions() {
    return List.copyOf(present.values());
  }

  synchronized void bootWithoutIommu() throws IOException {
    iommu = false;
    for (SysfsFunction function : present.values()) {
      files.delete(function.directory() + "/iommu_group");
    }
    files.deleteAll("/sys/kernel/iommu_groups");
  }

  synchronized void moveToGroup(SysfsFunction function, int group) throws IOException {
    SysfsFunction moved = function.withGroup(group);
    files.delete(function.groupDirectory() + "/devices/" + function.bdf());
    files.delete(function.directory() + "/iommu_group");
    files.link(moved.groupDirectory() + "/devices/" + moved.bdf(), moved.directory());
    files.link(moved.directory() + "/iommu_group", moved.groupDirectory());
    present.put(moved.bdf(), moved);
  }

  synchronized void makeBus() throws IOException {
    files.directory("/sys/bus/pci/devices");
    files.write("/sys/bus/pci/drivers_probe", "");
    files.write("/sys/bus/pci/rescan", "");
    reactions.watch(files.path("/sys/bus/pci"));
  }

  synchronized void loadVfio() throws IOException {
    host.loadVfio();
    reactions.watch(files.path("/sys/bus/pci/drivers/" + VFIO_PCI));
  }

  synchronized void giveToDriver(SysfsFunction function, String driver) throws IOException {
    SysfsFunction owned = function.withOwnDriver(driver);
    present.put(owned.bdf(), owned);
    makeDriver(driver);
    attach(owned, driver);
  }

  synchronized void unplug(String bdf) throws IOException {
    SysfsFunction function = function(bdf);
    present.remove(bdf);
    detach(function);
    overrides.remove(bdf);
    host.removeFunction(function);
    removed.put(bdf, function);
  }

  synchronized void plug(SysfsFunction function) throws IOException {
    host.makeFunction(function, iommu);
    reactions.watch(files.path(function.directory()));
    present.put(function.bdf(), function);
    if (function.ownDriver().isPresent()) {
      makeDriver(function.ownDriver().get());
      attach(function, function.ownDriver().get());
    }
  }

  synchronized SysfsFunction function(String bdf) {
    SysfsFunction function = present.get(bdf);
    if (function == null) {
      throw new IllegalArgumentException("no function %s; there are %s".formatted(bdf, present));
    }
    return function;
  }

  private void makeDriver(String name) throws IOException {
    if (!Files.exists(files.path("/sys/bus/pci/drivers/" + name))) {
      host.makeDriver(name);
      reactions.watch(files.path("/sys/bus/pci/drivers/" + name));
    }
  }

  /** Somebody wrote to a file, or emptied it: then the text is yet to come. */
  private void written(Path file) throws IOException, InterruptedException {
    String name = String.valueOf(file.getFileName());
    String text;
    synchronized (this) {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return;
      }
      text = Files.readString(file);
      if (text.isEmpty()) {
        return;
      }
      if (name.equals("driver_override")) {
        overridden(file, text);
        return;
      }
      if (!Set.of("unbind", "bind", "drivers_probe", "remove", "rescan").contains(name)) {
        return;
      }
      // A command file holds nothing; emptied before the command is done, so that the next fits in.
      Files.writeString(file, "");
    }
    Thread.sleep(delay);
    obey(name, file, text.strip());
  }

  private void overridden(Path file, String text) throws IOException {
    String bdf = String.valueOf(file.getParent().getFileName());
    if (text.isBlank()) {
      overrides.remove(bdf);
      Files.writeString(file, "(null)\n");
    } else if (!text.strip().equals("(null)")) {
      overrides.put(bdf, text.strip());
    }
  }

  private synchronized void obey(String command, Path file, String text) throws IOException {
    Path directory = file.getParent();
    switch (command) {
      case "remove" -> unplug(String.valueOf(directory.getFileName()));
      case "rescan" -> {
        for (SysfsFunction function : List.copyOf(removed.values())) {
          removed.remove(function.bdf());
          plug(function);
        }
      }
      default -> {
        SysfsFunction function = present.get(text);
        if (function != null) {
          bind(command, String.valueOf(directory.getFileName()), function);
        }
      }
    }
  }

  private void bind(String command, String driver, SysfsFunction function) throws IOException {
    Optional<String> now = driver(function.bdf());
    switch (command) {
      case "unbind" -> {
        if (now.filter(driver::equals).isPresent() && !faults.contains(Fault.UNBIND_DOES_NOTHING)) {
          detach(function);
        }
      }
      case "bind" -> {
        if (now.isEmpty() && wanted(function).filter(driver::equals).isPresent()) {
          attach(function, driver);
        }
      }
      case "drivers_probe" -> {
        Optional<String> wanted = wanted(function);
        if (now.isEmpty() && wanted.isPresent()) {
          attach(function, wanted.get());
        }
      }
      default -> throw new IllegalStateException(command);
    }
  }

  /** The driver that would take the function; the file tells, as its event may be yet to come. */
  private Optional<String> wanted(SysfsFunction function) throws IOException {
    Path file = files.path(function.directory() + "/driver_override");
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      String text = Files.readString(file);
      if (!text.isEmpty()) {
        overridden(file, text);
      }
    }
    Optional<String> driver =
        Optional.ofNullable(overrides.get(function.bdf())).or(function::ownDriver);
    boolean takes =
        driver.filter(name -> Files.exists(files.path("/sys/bus/pci/drivers/" + name))).isPresent();
    boolean vfio = driver.filter(VFIO_PCI::equals).isPresent();
    return takes && !(vfio && (!iommu || faults.contains(Fault.PROBE_FINDS_NO_DRIVER)))
        ? driver
        : Optional.empty();
  }

  private void attach(SysfsFunction function, String driver) throws IOException {
    files.link("/sys/bus/pci/drivers/" + driver + "/" + function.bdf(), function.directory());
    files.link(function.directory() + "/driver", "/sys/bus/pci/drivers/" + driver);
    if (driver.equals(SysfsFunction.ACCEL_DRIVER)) {
      int number = accelNumber(function);
      files.directory(function.directory() + "/accel/accel" + number);
      files.fifo("/dev/accel" + number, "600");
    }
    String node = "/dev/vfio/" + function.group();
    if (driver.equals(VFIO_PCI)
        && !faults.contains(Fault.NODE_NEVER_APPEARS)
        && !Files.exists(files.path(node), LinkOption.NOFOLLOW_LINKS)) {
      files.fifo(node, "600");
    }
  }

  private void detach(SysfsFunction function) throws IOException {
    Optional<String> driver = driver(function.bdf());
    files.delete(function.directory() + "/driver");
    if (driver.isEmpty()) {
      return;
    }
    files.delete("/sys/bus/pci/drivers/" + driver.get() + "/" + function.bdf());
    if (driver.get().equals(SysfsFunction.ACCEL_DRIVER)) {
      files.deleteAll(function.directory() + "/accel");
      files.delete("/dev/accel" + accelNumber(function));
    }
    if (driver.get().equals(VFIO_PCI) && lastOfGroup(function)) {
      files.delete("/dev/vfio/" + function.group());
    }
  }

  private boolean lastOfGroup(SysfsFunction function) throws IOException {
    for (SysfsFunction other : present.values()) {
      if (other.group() == function.group()
          && driver(other.bdf()).filter(VFIO_PCI::equals).isPresent()) {
        return false;
      }
    }
    return true;
  }

  private static int accelNumber(SysfsFunction function) {
    return function.group() - SysfsFunction.FIRST_TPU_GROUP;
  }

  /** The driver that has a function now. */
  Optional<String> driver(String bdf) throws IOException {
    try {
      Path link = Files.readSymbolicLink(files.path("/sys/bus/pci/devices/" + bdf + "/driver"));
      return Optional.of(String.valueOf(link.getFileName()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
