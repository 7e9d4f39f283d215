package org.tpubootd.container;

import java.util.Set;
import java.util.regex.Pattern;

/** Tells Google's registries from all others: only they get the VM's token. */
final class Registry {

  private static final Set<String> CONTAINER_REGISTRY =
      Set.of("gcr.io", "us.gcr.io", "eu.gcr.io", "asia.gcr.io");

  /** Artifact Registry: one label for the location before it, such as us-docker.pkg.dev. */
  private static final Pattern ARTIFACT_REGISTRY = Pattern.compile("[a-z0-9-]+-docker\\.pkg\\.dev");

  private Registry() {}

  /**
   * By exact rule, because konlet (its issue 20) sent the token to whoever was asked. A port, a
   * capital letter, a dot at the end or one label more is another host.
   */
  static boolean isGoogles(String host) {
    return CONTAINER_REGISTRY.contains(host) || ARTIFACT_REGISTRY.matcher(host).matches();
  }
}
