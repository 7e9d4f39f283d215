package org.tpubootd.pci;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Bell;
import org.tpubootd.core.Time;

/**
 * Rings when the list of PCI functions changes, so that one that appears later is bound at once and
 * not at the next interval. It looks at names only, which costs some microseconds; sysfs tells
 * inotify nothing, and uevents need a socket that the JDK does not have. Runs until interrupted.
 */
public final class AppearanceWatch implements Runnable {

  private final Path devices;
  private final Duration every;
  private final Time time;
  private final Bell bell;

  /**
   * @param every how often it looks
   * @param bell of the loop that binds
   */
  public AppearanceWatch(HostRoot root, Duration every, Time time, Bell bell) {
    devices = root.resolve("/sys/bus/pci/devices");
    this.every = every;
    this.time = time;
    this.bell = bell;
  }

  @Override
  public void run() {
    // Nothing is known at first: what appeared between the loop's first pass and now rings too.
    Map<String, Object> known = Map.of();
    try {
      while (true) {
        Map<String, Object> now = look(known);
        if (!now.equals(known)) {
          known = now;
          bell.ring();
        }
        time.sleep(every);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Each name with the identity of its link: a function that was removed and has come back between
   * two looks has the same name and another link. And whether it has its IOMMU group, which the
   * kernel gives it a moment after its name: a pass in between takes the IOMMU for switched off.
   * What cannot be listed has not changed.
   */
  private Map<String, Object> look(Map<String, Object> known) {
    var names = new HashMap<String, Object>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(devices)) {
      for (Path path : stream) {
        names.put(String.valueOf(path.getFileName()), identity(path));
      }
    } catch (IOException | DirectoryIteratorException e) {
      return known;
    }
    return names;
  }

  private static Object identity(Path link) throws IOException {
    try {
      Object key =
          Files.readAttributes(link, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
              .fileKey();
      boolean grouped = Files.exists(link.resolve("iommu_group"), LinkOption.NOFOLLOW_LINKS);
      return List.of(Objects.requireNonNullElse(key, ""), grouped);
    } catch (NoSuchFileException e) {
      return ""; // gone since it was listed: the next look tells
    }
  }
}
