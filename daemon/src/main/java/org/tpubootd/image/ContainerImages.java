package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.ContainersConfig.Pull;
import org.tpubootd.container.BakedImages;

/** Whether the containers' images come with the OS image, or how else they will get there. */
final class ContainerImages implements Check {

  /** Where Docker looks for certificates of authorities, without which it trusts no registry. */
  private static final List<String> AUTHORITIES =
      List.of(
          "/etc/ssl/certs/ca-certificates.crt",
          "/etc/pki/tls/certs/ca-bundle.crt",
          "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
          "/etc/ssl/ca-bundle.pem",
          "/etc/ssl/cert.pem");

  private final Tree tree;
  private final List<ContainerConfig> ours;
  private final EngineStore store;

  /**
   * @param ours the containers that tpu-bootd would run
   */
  ContainerImages(Tree tree, List<ContainerConfig> ours) {
    this.tree = tree;
    this.ours = ours;
    this.store = new EngineStore(tree);
  }

  @Override
  public String name() {
    return "images";
  }

  @Override
  public List<Result> look() throws IOException, InterruptedException {
    var baked = new BakedImages(tree.root());
    var results = new ArrayList<Result>();
    for (ContainerConfig container : ours) {
      results.add(image(container, baked));
      missingFile(container).ifPresent(results::add);
    }
    for (String problem : baked.problems()) {
      results.add(Result.warning(name(), problem, "make the archive or its sum anew"));
    }
    return results.isEmpty()
        ? List.of(Result.notApplicable(name(), "tpu-bootd would run no container here"))
        : results;
  }

  private Result image(ContainerConfig container, BakedImages baked)
      throws IOException, InterruptedException {
    var notes = new ArrayList<String>();
    if (container.imageFromTpuEnv()) {
      notes.add("where tpu-env names another image, that one is pulled");
    }
    Optional<String> archive = baked.archiveOf(container.image());
    if (archive.isPresent()) {
      return Result.ok(name(), "%s: in %s".formatted(container.name(), archive.get()))
          .withNotes(notes);
    }
    if (store.has(container.image())) {
      return Result.ok(name(), container.name() + ": in the engine's store").withNotes(notes);
    }
    if (store.mayHaveOthers()) {
      notes.add("what is in containerd's own store cannot be told without the engine");
    }
    return toBePulled(container).withNotes(notes);
  }

  private Result toBePulled(ContainerConfig container) throws IOException {
    String bake =
        "bring it in by `tpu-bootd images pull %s` where an engine runs, with --save where none does"
            .formatted(container.name());
    boolean certain = container.required() && !store.mayHaveOthers();
    if (container.pull() == Pull.NEVER) {
      return Result.missing(
          certain,
          name(),
          "%s: its image is not in the tree, and is never pulled".formatted(container.name()),
          bake);
    }
    String registry = BakedImages.registryOf(container.image());
    if (!isTrusted(registry)) {
      return Result.missing(
          certain,
          name(),
          "%s: its image has to be pulled, and the tree has no certificates for %s"
              .formatted(container.name(), registry),
          "apt install ca-certificates; or " + bake);
    }
    return Result.warning(
        name(),
        "%s: its image is not in the tree, and is pulled at the first boot"
            .formatted(container.name()),
        "give the VM a way to %s and, where it asks for a log-in, a service account; or "
                .formatted(registry)
            + bake);
  }

  private boolean isTrusted(String registry) throws IOException {
    for (String file : AUTHORITIES) {
      if (tree.exists(file)) {
        return true;
      }
    }
    return tree.isDirectory("/etc/docker/certs.d/" + registry)
        || registry.startsWith("localhost")
        || registry.startsWith("127.");
  }

  private Optional<Result> missingFile(ContainerConfig container) throws IOException {
    String file = container.configFile();
    return file == null || tree.exists(file)
        ? Optional.empty()
        : Optional.of(
            Result.warning(
                name(),
                "%s: %s.config-file is %s, which is not in the tree"
                    .formatted(container.name(), container.key(), file),
                "put it there, unless something writes it at boot"));
  }
}
