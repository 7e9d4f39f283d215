package org.tpubootd.pci;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.tpubootd.core.Deadline;

/**
 * Binds the functions of one IOMMU group to vfio-pci: all of them, or none and everything as it
 * was.
 *
 * <p>The order is {@code driver_override}, unbind, {@code drivers_probe}. With the override last, a
 * function whose binding fails would be left with no driver; with the override first, the worst is
 * a function that still has its old one.
 */
final class Binder {

  /** What the kernel shows, and takes, for no override. */
  private static final String NONE = "(null)";

  private final Sysfs sysfs;
  private final KernelFiles kernel;
  private final Holders holders;
  private final Patience patience;

  Binder(Sysfs sysfs, KernelFiles kernel, Holders holders, Patience patience) {
    this.sysfs = sysfs;
    this.kernel = kernel;
    this.holders = holders;
    this.patience = patience;
  }

  /**
   * Why a group was not bound.
   *
   * @param function the one on which it failed
   * @param hangs whether the kernel did not come back from the write
   */
  record Failure(PciFunction function, String cause, boolean hangs) {}

  /** A function that was begun with, and what is known of it. */
  private static final class Touched {
    final PciFunction before;
    final String override;

    /** Whether it had no driver when we let vfio-pci look for it. */
    boolean boundByUs;

    Touched(PciFunction before, String override) {
      this.before = before;
      this.override = override;
    }
  }

  /** A function that is pulled out meanwhile is no failure. */
  Optional<Failure> bind(List<PciFunction> group) throws InterruptedException {
    var touched = new ArrayDeque<Touched>();
    for (PciFunction function : group) {
      try {
        bind(function, touched);
      } catch (IOException e) {
        if (!sysfs.isThere(function.bdf())) {
          continue;
        }
        List<String> leftBehind = rollBack(touched);
        return Optional.of(
            new Failure(
                function,
                e.getMessage()
                    + "; "
                    + (leftBehind.isEmpty()
                        ? "the group is as it was before"
                        : "not undone: " + String.join("; ", leftBehind)),
                e instanceof Deadline.Passed));
      }
    }
    return Optional.empty();
  }

  private void bind(PciFunction function, Deque<Touched> touched)
      throws IOException, InterruptedException {
    String bdf = function.bdf();
    String override = kernel.read(bdf, sysfs.device(bdf).resolve("driver_override"));
    var one = new Touched(function, override);
    touched.push(one);
    if (!override.equals(Sysfs.VFIO_PCI)) {
      kernel.write(bdf, sysfs.device(bdf).resolve("driver_override"), Sysfs.VFIO_PCI);
    }
    if (function.driver().isPresent()) {
      unbind(bdf, function.driver().get());
    }
    if (sysfs.driver(bdf).filter(Sysfs.VFIO_PCI::equals).isPresent()) {
      return; // another tpu-bootd or a udev rule was faster, and a job may have it open by now
    }
    one.boundByUs = true;
    kernel.write(bdf, sysfs.driversProbe(), bdf);
    // The kernel reports success for a probe that found no driver: only the link tells.
    if (!waitForDriver(bdf, driver -> driver.filter(Sysfs.VFIO_PCI::equals).isPresent())) {
      throw new IOException(
          "writing '%s' to /sys/bus/pci/drivers_probe came back without an error, but vfio-pci did"
                  .formatted(bdf)
              + " not take the function (it has %s)"
                  .formatted(sysfs.driver(bdf).map(name -> "driver " + name).orElse("no driver")));
    }
  }

  /**
   * Takes a function from the driver that it was seen with, and from no other: one that has got
   * another meanwhile was given to it by somebody. So the write goes to that driver's own file, and
   * not by way of the device's link, which would lead to whatever it has by now.
   */
  private void unbind(String bdf, String driver) throws IOException, InterruptedException {
    if (sysfs.driver(bdf).filter(driver::equals).isEmpty()) {
      return;
    }
    try {
      kernel.write(bdf, sysfs.unbind(driver), bdf);
    } catch (Deadline.Passed e) {
      throw e;
    } catch (IOException e) {
      if (sysfs.driver(bdf).filter(driver::equals).isEmpty()) {
        return; // ENODEV: it lost the driver between our look and the write
      }
      throw e;
    }
    if (!waitForDriver(bdf, now -> now.filter(driver::equals).isEmpty())) {
      throw new IOException(
          "writing '%s' to /sys/bus/pci/drivers/%s/unbind came back without an error, but the"
                  .formatted(bdf, driver)
              + " function still has that driver");
    }
  }

  private boolean waitForDriver(String bdf, Predicate<Optional<String>> wanted)
      throws IOException, InterruptedException {
    return patience.until(() -> {
      if (!sysfs.isThere(bdf)) {
        throw new IOException(bdf + " was pulled out");
      }
      return wanted.test(sysfs.driver(bdf));
    });
  }

  /** Undoes the last first; a step that fails keeps none of the others from being undone. */
  private List<String> rollBack(Deque<Touched> touched) throws InterruptedException {
    var leftBehind = new ArrayList<String>();
    for (Touched one : touched) {
      try {
        rollBack(one);
      } catch (IOException e) {
        if (sysfs.isThere(one.before.bdf())) {
          leftBehind.add(one.before.bdf() + ": " + e.getMessage());
        }
      }
    }
    return leftBehind;
  }

  private void rollBack(Touched one) throws IOException, InterruptedException {
    String bdf = one.before.bdf();
    boolean vfio = sysfs.driver(bdf).filter(Sysfs.VFIO_PCI::equals).isPresent();
    if (vfio && !one.boundByUs) {
      throw new IOException("it stays with vfio-pci, since somebody else has bound it meanwhile");
    }
    // An override that was vfio-pci already comes from a try that failed half-way (the page's
    // script leaves it): with it the old driver could not come back. "\n" clears; a write of
    // nothing never reaches the kernel.
    boolean none =
        one.override.isEmpty() || one.override.equals(NONE) || one.override.equals(Sysfs.VFIO_PCI);
    kernel.write(bdf, sysfs.device(bdf).resolve("driver_override"), none ? "\n" : one.override);
    if (vfio) {
      String node = "/dev/vfio/" + one.before.group().orElse("");
      List<String> held = holders.of(Set.of(node));
      if (!held.isEmpty()) {
        throw new IOException("it stays with vfio-pci, since " + String.join(", ", held));
      }
      unbind(bdf, Sysfs.VFIO_PCI);
    }
    Optional<String> former = one.before.driver();
    if (former.isPresent() && sysfs.driver(bdf).isEmpty()) {
      kernel.write(bdf, sysfs.driversProbe(), bdf);
      if (!waitForDriver(bdf, former::equals)) {
        throw new IOException("its driver %s did not come back".formatted(former.get()));
      }
    }
  }
}
