package org.tpubootd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.Config;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.ContainerStop;
import org.tpubootd.container.Engine;
import org.tpubootd.container.EngineEvents;
import org.tpubootd.core.Backoff;
import org.tpubootd.core.Bell;
import org.tpubootd.core.Board;
import org.tpubootd.core.Component;
import org.tpubootd.core.Condition;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.Crew;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.State;
import org.tpubootd.core.Task;
import org.tpubootd.health.HealthEndpoint;
import org.tpubootd.pci.AppearanceWatch;
import org.tpubootd.systemd.Notifier;

/** The daemon: the parts, each in its loop, and what wakes them and tells of them. */
public final class Daemon {

  private static final Logger log = LoggerFactory.getLogger(Daemon.class);

  private static final String UNIX = "unix://";

  /** A pass that left its part not right is made again within this bound at first. */
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);

  private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

  /** How the configuration itself is: a refused one is to be seen, not only logged. */
  private static final Part CONFIGURATION = new Part("config", Part.Group.SELF, false);

  /** What becomes of the containers when the daemon ends. */
  public enum Containers {
    /** {@code systemctl stop}. */
    STOP,
    /** A restart or an upgrade: the next daemon adopts them. */
    LEAVE
  }

  private final Surroundings host;
  private final Board board;
  private final Crew crew = new Crew();
  private final Map<String, Bell> bells = new ConcurrentHashMap<>();
  private final Kept<MetadataSource> metadata = new Kept<>();
  private final Kept<Engine> engine = new Kept<>();
  private final Notifier notifier;
  private Config config;
  private volatile @Nullable State devicesWere;

  public Daemon(Surroundings host, Config first) {
    this.host = host;
    this.config = first;
    this.board = new Board(host.time());
    this.notifier =
        new Notifier(host.environment(), first.systemd(), board, crew::stuck, host.time());
  }

  /** Starts all parts; called once. */
  public synchronized void start() throws InterruptedException {
    board.enlist(CONFIGURATION);
    board.onChange(_ -> wakeWithDevices());
    bring(config);
  }

  /** Takes a new configuration into use; what is made of the same pieces goes on untouched. */
  public synchronized void reload(Config next) throws InterruptedException {
    whileReloading(() -> bring(next));
  }

  /** A new configuration is wrong: the old one stays in use. */
  public synchronized void reloadRefused(String why) throws InterruptedException {
    whileReloading(() ->
        board.post(
            CONFIGURATION.name(),
            Finding.degraded(
                "the files are wrong; an older configuration is in use",
                why,
                "mend the file, then: systemctl reload tpu-bootd")));
  }

  /** Ends all parts. What they have made on the host stays. */
  public synchronized void stop(Containers containers) throws InterruptedException {
    notifier.stopping();
    log.info(
        switch (containers) {
          case STOP -> "tpu-bootd ends and stops the containers";
          case LEAVE -> "tpu-bootd ends and leaves the containers running";
        });
    crew.dismiss();
    Engine docker = engine.current();
    if (containers == Containers.STOP && docker != null) {
      new ContainerStop(docker, config.containers()).stopAll().forEach(log::warn);
    }
    metadata.close();
    engine.close();
  }

  /** Something that can be interrupted while systemd is told of a reload. */
  private interface Reload {
    void run() throws InterruptedException;
  }

  private void whileReloading(Reload reload) throws InterruptedException {
    notifier.reloading();
    try {
      reload.run();
    } finally {
      notifier.reloaded();
    }
  }

  private void bring(Config next) throws InterruptedException {
    var source =
        metadata.of(
            next.metadata(),
            () -> MetadataSource.watching(host, next.metadata(), this::attributeChanged));
    var docker = engine.of(next.containers().common(), () -> engine(host, next));
    var parts = new ArrayList<Parts.Wired>();
    parts.add(
        new Parts.Wired(
            new HealthEndpoint(next.health(), board, crew::stuck, Version.current(), host.time()),
            next.health()));
    parts.addAll(Parts.of(host, next, source, docker, board));
    parts.forEach(wired -> board.enlist(wired.component().part()));

    var tasks = new ArrayList<Task>();
    tasks.add(new Task("systemd", Notifier.class, () -> work(notifier)));
    parts.forEach(wired -> tasks.add(loop(wired)));
    tasks.add(
        new Task(
            "appearance",
            next.devices().appearance(),
            () ->
                work(
                    new AppearanceWatch(
                        host.root(), next.devices().appearance(), host.time(), bell("devices")))));
    tasks.add(
        new Task(
            "engine-events",
            docker,
            () ->
                work(
                    new EngineEvents(
                        docker,
                        next.containers().callDeadline(),
                        container -> bell("container/" + container).ring(),
                        this::wakeContainers,
                        host.time(),
                        host.random()))));
    crew.bring(tasks);
    metadata.closeReplaced();
    engine.closeReplaced();
    config = next;
    board.post(CONFIGURATION.name(), Finding.ok("as in the files"));
  }

  private Task loop(Parts.Wired wired) {
    Component component = wired.component();
    String name = component.part().name();
    var backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY, host.random());
    return new Task(
        name,
        wired.key(),
        () -> new ControlLoop(component, board, backoff, host.time(), bell(name)));
  }

  private static Task.Work work(Runnable runnable) {
    return runnable::run;
  }

  /**
   * The engine. Under another root a socket is a path like any other, so that what is done to an
   * image is not done to the machine; only DOCKER_HOST names the machine's own then.
   */
  static Engine engine(Surroundings host, Config config) {
    String address = config.containers().engine();
    boolean asConfigured =
        host.root().equals(HostRoot.MACHINE) || host.variable("DOCKER_HOST").isPresent();
    return new Engine(
        !asConfigured && address.startsWith(UNIX)
            ? UNIX + host.root().resolve(address.substring(UNIX.length()))
            : address,
        config.containers());
  }

  private Bell bell(String part) {
    return bells.computeIfAbsent(part, _ -> new Bell());
  }

  private void attributeChanged(String key) {
    log.debug("attribute {} changed", key);
    List.of("tpu-env", "workload-env", "devices", "host").forEach(part -> bell(part).ring());
  }

  private void wakeContainers() {
    bells.forEach((part, bell) -> {
      if (part.startsWith("container/")) {
        bell.ring();
      }
    });
  }

  /** What waits for the devices, or is inert as they are, is not to wait a backoff longer. */
  private void wakeWithDevices() {
    State now = board.condition("devices").map(Condition::state).orElse(null);
    if (now != devicesWere) {
      devicesWere = now;
      List.of("tpu-env", "workload-env", "host").forEach(part -> bell(part).ring());
      wakeContainers();
    }
  }
}
