package org.tpubootd.container;

import java.util.Optional;
import java.util.function.Supplier;
import org.tpubootd.config.ContainersConfig.ContainerConfig;

/**
 * An image that somebody wants on this host.
 *
 * @param name of the container that it is for; for one that was asked for by itself, a short name
 * @param image as it was written; empty while only tpu-env could tell, and is not known
 */
public record WantedImage(String name, Optional<String> image) {

  /**
   * The image of a container.
   *
   * @param imageOfTpuEnv asked only where the configuration says so; a blank one means the
   *     configured image: Google's own unit has been seen pulling {@code ""} for ever
   */
  static WantedImage of(ContainerConfig container, Supplier<Optional<String>> imageOfTpuEnv) {
    return new WantedImage(
        container.name(),
        container.imageFromTpuEnv()
            ? imageOfTpuEnv.get().map(named -> named.isBlank() ? container.image() : named.strip())
            : Optional.of(container.image()));
  }

  /** One that no container is known for: {@code gcr.io/p/agent:1} is called {@code agent-1}. */
  static WantedImage named(String image) {
    ImageName parsed = ImageName.parse(image);
    String repository = parsed.repository();
    String last = repository.substring(repository.lastIndexOf('/') + 1);
    return new WantedImage(last + "-" + parsed.version().replace(':', '-'), Optional.of(image));
  }
}
