package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.tpubootd.config.Config;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.ConfigLoader;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.env.EnvironmentFile;
import org.tpubootd.host.OtherAgents;

/** All checks of a tree. */
public final class ImageChecks {

  private static final String CONFIGURATION = "configuration";

  private final HostRoot root;
  private final Tree tree;
  private final boolean running;

  /**
   * @param running whether the tree is that of the running host, on which the daemon has left what
   *     an image must not have
   */
  public ImageChecks(HostRoot root, boolean running) {
    this.root = root;
    this.tree = new Tree(root);
    this.running = running;
  }

  /** Looks at everything; a check that cannot look says so, and keeps no other from it. */
  public List<Result> look() throws InterruptedException {
    var results = new ArrayList<Result>();
    for (Check check : checks(configuration(results))) {
      try {
        results.addAll(check.look());
      } catch (IOException e) {
        results.add(
            Result.warning(
                check.name(),
                "could not be looked at: " + e.getMessage(),
                "put right what it names, or run this as root"));
      }
    }
    return results;
  }

  /** Without what this machine's environment says: the image will not have it. */
  private Config configuration(List<Result> results) {
    var loader = new ConfigLoader(root);
    try {
      Config config = loader.load().config();
      results.add(Result.ok(CONFIGURATION, "its files have no mistake"));
      return config;
    } catch (ConfigException e) {
      results.add(
          Result.error(
              CONFIGURATION,
              String.valueOf(e.getMessage()),
              "put it right: the daemon does not start with it (the checks below go by the"
                  + " defaults)"));
      return defaults(loader);
    }
  }

  private static Config defaults(ConfigLoader loader) {
    try {
      return loader.withoutFiles();
    } catch (ConfigException e) {
      throw new IllegalStateException("the defaults are good", e);
    }
  }

  /** In the order of what counts on what. */
  private List<Check> checks(Config config) {
    var others = new OtherAgents(root);
    List<ContainerConfig> ours =
        config.containers().all().stream()
            .filter(ContainerConfig::enabled)
            .filter(container -> others.insteadOf(container.name()).isEmpty())
            .toList();
    var checks =
        new ArrayList<Check>(
            List.of(
                new PackageFiles(tree),
                new ServiceUnit(tree),
                new VfioModules(tree, config.devices()),
                new BootArguments(tree),
                new SessionLimits(tree),
                new ServiceLimits(tree),
                new RuntimeUser(tree, config.files().owner()),
                new Environment(new EnvironmentFile(root, config.files())),
                new EngineInstalled(tree, config.containers().engine(), ours),
                new ContainerImages(tree, ours),
                new Agents(others, config.containers()),
                new OtherRules(tree)));
    if (!running) {
      checks.add(new Leftovers(tree));
    }
    checks.add(new OperatingSystem(tree));
    return checks;
  }
}
