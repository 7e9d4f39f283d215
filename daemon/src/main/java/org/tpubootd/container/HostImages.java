package org.tpubootd.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.Tarballs.Examined;
import org.tpubootd.container.Tarballs.Tarball;
import org.tpubootd.core.Time;

/**
 * The images of this host for a person who asks for them: what is there, pulls, loads and archives.
 * By the means of the daemon, and without touching a container. Not thread-safe.
 */
public final class HostImages {

  /** A name of a container was given, and there is no such container. */
  public static final class UnknownContainerException extends Exception {
    private static final long serialVersionUID = 1;

    private UnknownContainerException(String name, List<String> known) {
      super(
          "there is no container '%s'; there are %s (an image is written with its tag: %s:latest)"
              .formatted(name, String.join(", ", known), name));
    }
  }

  /**
   * An image that was pulled.
   *
   * @param isNew whether its name stood for another image before, or for none
   * @param digest by which it can be named for ever; null where the engine tells none
   */
  public record Pulled(String image, boolean isNew, String id, @Nullable String digest) {}

  private final ContainersConfig config;
  private final Engine engine;
  private final Supplier<Optional<String>> imageOfTpuEnv;
  private final HostRoot root;
  private final Pull puller;
  private final Load loader;
  private final Tarballs tarballs;

  /**
   * @param imageOfTpuEnv as for a {@link SupervisedContainer}
   */
  public HostImages(
      ContainersConfig config,
      Engine engine,
      RegistryLogin login,
      Supplier<Optional<String>> imageOfTpuEnv,
      HostRoot root,
      Time time) {
    this.config = config;
    this.engine = engine;
    this.imageOfTpuEnv = imageOfTpuEnv;
    this.root = root;
    this.puller = new Pull(engine, config, login, time);
    this.loader = new Load(engine, Images.ARCHIVE_LIMIT);
    this.tarballs = new Tarballs(root, Images.ARCHIVE_LIMIT);
  }

  /**
   * The images meant by names of containers and of images; by no name, those of all containers that
   * are switched on.
   */
  public List<WantedImage> wanted(List<String> names) throws UnknownContainerException {
    if (names.isEmpty()) {
      return enabled();
    }
    var wanted = new ArrayList<WantedImage>();
    for (String name : names) {
      wanted.add(wanted(name));
    }
    return wanted;
  }

  private WantedImage wanted(String name) throws UnknownContainerException {
    for (ContainerConfig container : config.all()) {
      if (container.name().equals(name)) {
        return WantedImage.of(container, imageOfTpuEnv);
      }
    }
    // A mistyped name must not be asked for at Docker Hub, which has images of all names.
    if (name.isBlank() || name.chars().noneMatch(c -> c == '/' || c == ':' || c == '@')) {
      throw new UnknownContainerException(
          name, config.all().stream().map(ContainerConfig::name).toList());
    }
    return WantedImage.named(name);
  }

  private List<WantedImage> enabled() {
    return config.all().stream()
        .filter(ContainerConfig::enabled)
        .map(container -> WantedImage.of(container, imageOfTpuEnv))
        .toList();
  }

  /** Looks at everything and changes nothing. Archives are read through for their sums. */
  public ImageList list() throws InterruptedException {
    List<Examined> archives = tarballs.examineAll();
    var needed = new ArrayList<ImageList.Needed>();
    ImageException trouble = null;
    for (WantedImage wanted : enabled()) {
      Optional<EngineImages.Details> details = Optional.empty();
      if (trouble == null && wanted.image().isPresent()) {
        try {
          details = engine.images().inspect(ImageName.parse(wanted.image().get()));
        } catch (EngineException e) {
          trouble = ImageException.of(e);
        }
      }
      needed.add(needed(wanted, details, trouble == null, archives));
    }
    return new ImageList(
        engine.address(),
        trouble == null ? null : trouble.getMessage(),
        trouble == null ? null : trouble.action(),
        needed,
        archives.stream().map(HostImages::archive).toList(),
        tarballs.unread());
  }

  private static ImageList.Needed needed(
      WantedImage wanted,
      Optional<EngineImages.Details> details,
      boolean engineAnswers,
      List<Examined> archives) {
    Optional<String> archive =
        wanted.image().map(ImageName::parse).flatMap(image -> holding(image, archives));
    String state =
        details.isPresent()
            ? ImageList.THERE
            : archive.isPresent()
                ? ImageList.IN_ARCHIVE
                : engineAnswers && wanted.image().isPresent()
                    ? ImageList.MISSING
                    : ImageList.UNKNOWN;
    return new ImageList.Needed(
        wanted.name(),
        wanted.image().orElse(null),
        state,
        details
            .map(is -> new ImageList.OnEngine(is.id(), is.digests(), is.size(), is.created()))
            .orElse(null),
        archive.orElse(null));
  }

  /** The archive that the daemon would take. */
  private static Optional<String> holding(ImageName image, List<Examined> archives) {
    return archives.stream()
        .filter(archive -> archive.problem().isEmpty() && archive.holds(image))
        .map(archive -> archive.tarball().path())
        .findFirst();
  }

  private static ImageList.Archive archive(Examined archive) {
    return new ImageList.Archive(
        archive.tarball().path(),
        archive.images(),
        archive.size(),
        archive.sum().name().toLowerCase(Locale.ROOT),
        archive.problem().orElse(null));
  }

  /**
   * Pulls an image, whether it is there or not.
   *
   * @param progress takes a word about how far it is, at most twice a second
   */
  public Pulled pull(WantedImage wanted, Consumer<String> progress)
      throws ImageException, InterruptedException {
    ImageName image = known(wanted);
    try {
      Optional<String> before = engine.images().id(image);
      puller.pull(image, progress);
      EngineImages.Details now =
          engine
              .images()
              .inspect(image)
              .orElseThrow(() ->
                  new ImageException(
                      "the image " + image + " was pulled, and is not there all the same",
                      "see whether something removes images here"));
      return new Pulled(
          image.text(),
          before.filter(now.id()::equals).isEmpty(),
          now.id(),
          digest(image, now.digests()));
    } catch (PullFailure e) {
      throw ImageException.of(e);
    } catch (EngineException e) {
      throw ImageException.of(e);
    }
  }

  /** An image that is in several registries has a digest of each. */
  private static @Nullable String digest(ImageName image, List<String> digests) {
    return digests.stream()
        .filter(one -> one.startsWith(image.repository() + "@"))
        .map(one -> one.substring(one.indexOf('@') + 1))
        .findFirst()
        .orElse(null);
  }

  /**
   * Keeps an image of the engine as an archive that comes with the OS image.
   *
   * @return the archive's path, as the host sees it
   */
  public String save(WantedImage wanted) throws ImageException, InterruptedException {
    ImageName image = known(wanted);
    if (image.isByDigest()) {
      throw new ImageException(
          "the image %s cannot be kept in an archive: engines know digests only of what they have pulled"
              .formatted(image),
          "name it by a tag, or pull it into the engine of the OS image");
    }
    var archive = new SavedArchive(root, wanted.name());
    try {
      archive.write(image, engine.images(), Images.ARCHIVE_LIMIT);
      return archive.path();
    } catch (EngineException e) {
      throw ImageException.of(e);
    } catch (IOException e) {
      throw new ImageException(
          "the image %s cannot be saved as %s: %s".formatted(image, archive.path(), e.getMessage()),
          "see the cause");
    }
  }

  private static ImageName known(WantedImage wanted) throws ImageException {
    return ImageName.parse(
        wanted
            .image()
            .orElseThrow(() ->
                new ImageException(
                    "the image of "
                        + wanted.name()
                        + " is named by tpu-env, which is not known here",
                    "name the image itself, or set image-from-tpu-env to false")));
  }

  /** The archives in the folders, those that go first first. */
  public List<Path> archives() {
    return tarballs.all().stream().map(Tarball::file).toList();
  }

  /** Why a folder's archives were not among them, a sentence each. */
  public List<String> foldersNotRead() {
    return tarballs.unread();
  }

  /**
   * Whether the engine has an image of each name that the archive holds. It may be a newer one than
   * that in the archive, which must not take the name from it.
   */
  public boolean isThere(Path archive) throws ImageException, InterruptedException {
    List<String> names;
    try {
      names = tarballs.names(tarball(archive));
    } catch (IOException _) {
      // The load tells better what is wrong with it, if anything is.
      return false;
    }
    try {
      for (String name : names) {
        if (engine.images().id(ImageName.parse(name)).isEmpty()) {
          return false;
        }
      }
      return !names.isEmpty();
    } catch (EngineException e) {
      throw ImageException.of(e);
    }
  }

  /**
   * Gives an archive to the engine, unless the sum beside it is another.
   *
   * @return the images that the engine has taken out of it
   */
  public List<String> load(Path file) throws ImageException, InterruptedException {
    Tarball tarball = tarball(file);
    var loaded = new ArrayList<String>();
    try {
      Optional<String> problem =
          Files.exists(tarball.file())
              ? tarballs.broken(tarball)
              : Optional.of("there is no such file");
      if (problem.isEmpty()) {
        problem = loader.load(tarball, loaded::add);
      }
      if (problem.isPresent()) {
        throw new ImageException(
            tarball.path() + " was not loaded: " + problem.get(), "see the cause");
      }
      return loaded;
    } catch (EngineException e) {
      throw ImageException.of(e);
    }
  }

  private Tarball tarball(Path file) {
    Path absolute = file.toAbsolutePath().normalize();
    return new Tarball(
        absolute.startsWith(root.directory()) ? root.onHost(absolute) : absolute.toString(),
        absolute);
  }
}
