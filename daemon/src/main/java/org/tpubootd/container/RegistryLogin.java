package org.tpubootd.container;

import java.io.IOException;
import java.util.Optional;

/** Gives what is needed to log in to a registry. Handed in: containers know no metadata server. */
@FunctionalInterface
public interface RegistryLogin {

  /** A user and a password that live in memory only. */
  record Credentials(String user, String password) {
    /** Without the password, so that no log can have it. */
    @Override
    public String toString() {
      return "Credentials[user=" + user + "]";
    }
  }

  /**
   * Fetched anew for each pull.
   *
   * @param registry the registry's host name, as in the image's name
   * @return empty where the pull is to be anonymous
   * @throws IOException where the log-in could not be had; the message is a sentence
   */
  Optional<Credentials> credentials(String registry) throws IOException, InterruptedException;
}
