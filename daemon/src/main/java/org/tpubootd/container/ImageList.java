package org.tpubootd.container;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is on a host of the images that its configuration needs, and of archives: as it is printed
 * for machines.
 *
 * @param engine its address
 * @param trouble why the engine does not answer; null where it does
 * @param action what a person can do about that
 * @param problems why folders with archives could not be read, a sentence each
 */
public record ImageList(
    String engine,
    @Nullable String trouble,
    @Nullable String action,
    List<Needed> images,
    List<Archive> archives,
    List<String> problems) {

  /** The engine has it. */
  public static final String THERE = "there";

  /** The engine has not, and it is loaded out of an archive when its container is to start. */
  public static final String IN_ARCHIVE = "archive";

  /** Neither has it: it has to be pulled. */
  public static final String MISSING = "missing";

  /** The engine does not answer, or only tpu-env knows which image it is. */
  public static final String UNKNOWN = "unknown";

  /**
   * An image that a container needs.
   *
   * @param image null where only tpu-env could tell, and is not known
   * @param state one of the words above
   * @param onEngine null where the engine has it not
   * @param archive the one that holds it; null where none does
   */
  public record Needed(
      String container,
      @Nullable String image,
      String state,
      @Nullable OnEngine onEngine,
      @Nullable String archive) {}

  /**
   * An image as the engine has it.
   *
   * @param digests by which it was pulled, each behind its repository
   * @param size in bytes
   * @param created ISO 8601
   */
  public record OnEngine(String id, List<String> digests, long size, String created) {}

  /**
   * An archive.
   *
   * @param images what it holds
   * @param size in bytes
   * @param sum right, wrong, or none where no file with a sum lies beside
   * @param problem why it is not used; null where it is
   */
  public record Archive(
      String path, List<String> images, long size, String sum, @Nullable String problem) {}

  /** Whether every image is on this host; for machines, {@code complete}. */
  public boolean isComplete() {
    return trouble == null
        && images.stream()
            .allMatch(one -> one.state().equals(THERE) || one.state().equals(IN_ARCHIVE));
  }
}
