package org.tpubootd.container;

import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.api.model.LoadResponseItem;
import com.github.dockerjava.api.model.PullResponseItem;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The engine's calls for images, under the rules of {@link Engine}. Thread-safe. */
final class EngineImages {

  private final EngineClient client;
  private final Map<ImageName, OnePull> pulls = new ConcurrentHashMap<>();

  EngineImages(EngineClient client) {
    this.client = client;
  }

  /**
   * An image as the engine has it.
   *
   * @param digests by which it was pulled, each behind its repository; none of an image that was
   *     loaded or built
   * @param size in bytes
   * @param created as the engine writes the moment, ISO 8601
   */
  record Details(String id, List<String> digests, long size, String created) {}

  /** The id of the image that the name stands for on this host now. */
  Optional<String> id(ImageName image) throws EngineException, InterruptedException {
    return inspect(image).map(Details::id);
  }

  /** Empty where the name stands for nothing on this host. */
  Optional<Details> inspect(ImageName image) throws EngineException, InterruptedException {
    try {
      var found =
          client.call(
              "inspect the image " + image, docker -> docker.inspectImageCmd(image.text()).exec());
      List<String> digests = found.getRepoDigests();
      Long size = found.getSize();
      return Optional.of(
          new Details(
              String.valueOf(found.getId()),
              digests == null ? List.of() : List.copyOf(digests),
              size == null ? 0 : size,
              String.valueOf(found.getCreated())));
    } catch (EngineException.NotFound _) {
      return Optional.empty();
    }
  }

  /** One pull at a time of each image. */
  OnePull onePull(ImageName image) {
    return pulls.computeIfAbsent(image, _ -> new OnePull());
  }

  /**
   * Begins a pull.
   *
   * @param login null for a pull without
   */
  EngineStream<PullResponseItem> pull(ImageName image, RegistryLogin.@Nullable Credentials login)
      throws EngineException, InterruptedException {
    return client.open(
        "pull " + image,
        docker -> {
          var pull = docker.pullImageCmd(image.repository()).withTag(image.version());
          if (login != null) {
            pull.withAuthConfig(
                new AuthConfig()
                    .withRegistryAddress(image.registry())
                    .withUsername(login.user())
                    .withPassword(login.password()));
          }
          return pull;
        });
  }

  /** Gives an archive of images to the engine. */
  EngineStream<LoadResponseItem> load(String what, InputStream archive)
      throws EngineException, InterruptedException {
    return client.open(what, docker -> docker.loadImageAsyncCmd(archive));
  }

  /**
   * Writes an archive of the image. An engine that fails in the middle may write its error into the
   * archive and end as if all were well: what came has to be looked into.
   *
   * @param limit for the whole
   */
  void save(ImageName image, OutputStream archive, Duration limit)
      throws EngineException, InterruptedException {
    client.download(
        "save the image " + image,
        limit,
        // With its tag: by the name alone, engines give all images of the repository.
        docker -> docker.saveImageCmd(image.repository()).withTag(image.version()).exec(),
        archive);
  }
}
