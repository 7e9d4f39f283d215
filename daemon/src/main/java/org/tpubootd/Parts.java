package org.tpubootd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.tpubootd.config.Config;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.container.Engine;
import org.tpubootd.container.Gate;
import org.tpubootd.container.Orphans;
import org.tpubootd.container.SupervisedContainer;
import org.tpubootd.container.Workplace;
import org.tpubootd.core.Board;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;
import org.tpubootd.env.EnvironmentFile;
import org.tpubootd.env.TpuEnvFile;
import org.tpubootd.env.WorkloadEnv;
import org.tpubootd.host.HostChecks;
import org.tpubootd.host.OtherAgents;
import org.tpubootd.pci.Devices;
import org.tpubootd.pci.Expected;
import org.tpubootd.pci.ModuleLoader;

/** The wiring of the parts: what each is made of. */
final class Parts {

  /** modprobe reads a module from the disk and lets its driver look for devices. */
  private static final Duration MODPROBE_LIMIT = Duration.ofSeconds(20);

  private Parts() {}

  /**
   * One part.
   *
   * @param component made, but not at work: constructors do nothing
   * @param key all that it is made of: the same key, the same part
   */
  record Wired(Component component, Object key) {

    String name() {
      return component.part().name();
    }
  }

  /** All parts of the host, in the order of what counts on what: others ask for the devices. */
  static List<Wired> of(
      Surroundings host,
      Config config,
      MetadataSource metadata,
      Engine engine,
      Board board,
      IntSupplier reloads) {
    var root = host.root();
    var files = config.files();
    var devices = config.devices();
    BooleanSupplier noTpuHere = () -> devices.enabled() && hasNoTpu(board);
    var filesKey = List.of(files, metadata, devices.enabled());
    var parts = new ArrayList<Wired>();
    parts.add(
        new Wired(
            new Devices(
                root,
                devices,
                metadata::expectedHardware,
                host.time(),
                ModuleLoader.modprobe(root, MODPROBE_LIMIT)),
            List.of(devices, metadata)));
    parts.add(new Wired(new TpuEnvFile(root, files, metadata.tpuEnv, noTpuHere), filesKey));
    parts.add(new Wired(new EnvironmentFile(root, files), files));
    parts.add(
        new Wired(
            new WorkloadEnv(root, files, metadata.tpuEnv, metadata.attributes, noTpuHere),
            filesKey));
    parts.add(
        new Wired(
            new HostChecks(
                root,
                host.variable("NOTIFY_SOCKET").isPresent(),
                () ->
                    metadata
                        .expectedHardware()
                        .flatMap(Expected::generation)
                        .or(() -> generationInPci(board)),
                noTpuHere),
            List.of(metadata, devices.enabled())));
    var states = new StateFiles(root);
    var place =
        new Workplace(
            config.containers(),
            engine,
            metadata.registryLogin(),
            states,
            reloads,
            root,
            host.time(),
            host.random());
    for (ContainerConfig container : config.containers().all()) {
      parts.add(container(config, metadata, board, container, place));
    }
    parts.add(
        new Wired(
            new Orphans(engine, config.containers(), states),
            List.of(
                config.containers().common(),
                config.containers().all().stream().map(ContainerConfig::name).toList(),
                engine)));
    return List.copyOf(parts);
  }

  /** Whether the devices were looked at, and it is certain that there is none and will be none. */
  private static boolean hasNoTpu(Board board) {
    return board
        .condition(Devices.NAME)
        .filter(devices -> devices.state() == State.INERT)
        .isPresent();
  }

  /** What the first function on the PCI bus is, as the devices' finding tells it to machines. */
  private static Optional<String> generationInPci(Board board) {
    return board
        .condition(Devices.NAME)
        .flatMap(devices ->
            devices.finding().facts().get("functions") instanceof List<?> functions
                    && !functions.isEmpty()
                    && functions.getFirst() instanceof Map<?, ?> first
                    && first.get("generation") instanceof String generation
                ? Optional.of(generation)
                : Optional.empty());
  }

  private static Wired container(
      Config config,
      MetadataSource metadata,
      Board board,
      ContainerConfig container,
      Workplace place) {
    boolean devicesEnabled = config.devices().enabled();
    var others = new OtherAgents(place.root());
    Gate ours = notOthers(others, container.name());
    return new Wired(
        new SupervisedContainer(
            container,
            devicesEnabled ? ours.and(afterDevices(board)) : ours,
            metadata::vbarImage,
            place),
        List.of(container, config.containers().common(), devicesEnabled, metadata, place.engine()));
  }

  private static Gate notOthers(OtherAgents others, String agent) {
    return () ->
        others.insteadOf(agent).map(why -> Finding.inert("somebody else runs this agent", why));
  }

  /**
   * Containers are started after the devices were looked at, since a container sees /dev as it is
   * when it starts. They are not kept back by devices that failed: the agent may be what tells why.
   */
  static Gate afterDevices(Board board) {
    return () ->
        board
            .condition("devices")
            .flatMap(devices ->
                switch (devices.state()) {
                  case WAITING ->
                      Optional.of(
                          Finding.waiting(
                              "waits for the devices",
                              "a container sees only the devices that are there when it"
                                  + " starts: "
                                  + devices.finding().summary(),
                              null));
                  case INERT ->
                      Optional.of(
                          Finding.inert(
                              "not needed on this machine",
                              "devices: " + devices.finding().summary()));
                  case OK, DEGRADED, FAILED -> Optional.empty();
                });
  }
}
