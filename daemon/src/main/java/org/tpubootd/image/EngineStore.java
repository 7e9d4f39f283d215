package org.tpubootd.image;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;

/** The images that a Docker Engine has stored, read from its folder while it does not run. */
final class EngineStore {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SETTINGS = "/etc/docker/daemon.json";
  private static final String USUAL = "/var/lib/docker";

  /** Docker's other store, in a database of containerd's that only containerd reads. */
  private static final String OF_CONTAINERD =
      "/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db";

  private final Tree tree;

  EngineStore(Tree tree) {
    this.tree = tree;
  }

  /** Whether an image is there by that name, with its tag or digest. */
  boolean has(String image) throws IOException {
    boolean plain = image.indexOf('@') < 0 && image.lastIndexOf(':') <= image.lastIndexOf('/');
    String name = plain ? image + ":latest" : image;
    String folder = folder();
    for (String driver : tree.names(folder + "/image", "")) {
      Optional<String> list = tree.text(folder + "/image/" + driver + "/repositories.json");
      if (list.isPresent() && isListed(list.get(), name)) {
        return true;
      }
    }
    return false;
  }

  /** Whether images may be in a store that cannot be read here. */
  boolean mayHaveOthers() throws IOException {
    return tree.exists(OF_CONTAINERD);
  }

  private static boolean isListed(String list, String name) {
    try {
      for (JsonNode repository : JSON.readTree(list).path("Repositories")) {
        if (repository.has(name)) {
          return true;
        }
      }
      return false;
    } catch (JsonProcessingException e) {
      // What the engine itself could not read holds no image.
      return false;
    }
  }

  private String folder() throws IOException {
    try {
      return JSON.readTree(tree.text(SETTINGS).orElse("{}")).path("data-root").asText(USUAL);
    } catch (JsonProcessingException e) {
      return USUAL;
    }
  }
}
