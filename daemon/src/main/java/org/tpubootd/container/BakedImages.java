package org.tpubootd.container;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tpubootd.config.HostRoot;

/** Which images come with the OS image in archives: looked at without an engine. */
public final class BakedImages {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Tarballs tarballs;

  public BakedImages(HostRoot root) {
    tarballs = new Tarballs(root, LIMIT);
  }

  /**
   * The archive that would be loaded for an image, as the host sees it. One that differs from the
   * sum beside it is left out, and named among the problems.
   */
  public Optional<String> archiveOf(String image) throws InterruptedException {
    while (true) {
      var found = tarballs.holding(ImageName.parse(image));
      if (found.isEmpty()) {
        return Optional.empty();
      }
      var wrong = tarballs.broken(found.get());
      if (wrong.isEmpty()) {
        return Optional.of(found.get().path());
      }
      tarballs.refuse(found.get(), wrong.get());
    }
  }

  /** Why archives are not used, a sentence each, after all images were asked for. */
  public List<String> problems() {
    return tarballs.problems();
  }

  /** The registry that an image is pulled from. */
  public static String registryOf(String image) {
    return ImageName.parse(image).registry();
  }
}
