package org.tpubootd.container;

/**
 * The name of an image, taken apart by Docker's rules.
 *
 * @param repository with the registry, as it was written
 * @param version tag or digest ({@code sha256:…}); latest where none was written
 */
record ImageName(String text, String registry, String repository, String version) {

  private static final String DOCKER_HUB = "docker.io";

  static ImageName parse(String text) {
    String repository = text;
    String version = "latest";
    int digest = text.indexOf('@');
    if (digest >= 0) {
      version = text.substring(digest + 1);
      repository = text.substring(0, digest);
    }
    // A colon before the last slash belongs to the registry's port.
    int colon = repository.lastIndexOf(':');
    if (colon > repository.lastIndexOf('/')) {
      // Beside a digest the tag is only a comment for people: the digest decides.
      version = digest >= 0 ? version : repository.substring(colon + 1);
      repository = repository.substring(0, colon);
    }
    return new ImageName(text, registryOf(repository), repository, version);
  }

  /** The first part is a registry only if no user of Docker Hub can have that name. */
  private static String registryOf(String repository) {
    int slash = repository.indexOf('/');
    if (slash < 0) {
      return DOCKER_HUB;
    }
    String first = repository.substring(0, slash);
    boolean host = first.contains(".") || first.contains(":") || first.equals("localhost");
    return host ? first : DOCKER_HUB;
  }

  /** Whether it can only ever be one and the same image. */
  boolean isByDigest() {
    // No tag has a colon in it.
    return version.contains(":");
  }

  @Override
  public String toString() {
    return text;
  }
}
