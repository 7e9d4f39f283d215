package org.tpubootd.tests.container;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.tpubootd.config.ContainersConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.container.Engine;
import org.tpubootd.container.Gate;
import org.tpubootd.container.RegistryLogin;
import org.tpubootd.container.StateStore;
import org.tpubootd.container.SupervisedContainer;
import org.tpubootd.container.Workplace;
import org.tpubootd.core.Bell;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Time;

/** Supervises containers at an engine pass by pass, as the daemon's loops do. */
final class Bench implements AutoCloseable {

  /** A clock that can be put forward, so that no test waits for a restart that is due later. */
  static class ShiftedTime implements Time {
    private final Time system = Time.system();
    private volatile Duration shift = Duration.ZERO;

    void forward(Duration by) {
      shift = shift.plus(by);
    }

    @Override
    public Instant instant() {
      return system.instant();
    }

    @Override
    public long nanos() {
      return system.nanos() + shift.toNanos();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      system.sleep(duration);
    }

    @Override
    public boolean await(Bell bell, Duration atMost) throws InterruptedException {
      return system.await(bell, atMost);
    }
  }

  /** Keeps the texts as the host's disk does: for the next component, too. */
  static final class KeptStates implements StateStore {
    final Map<String, String> texts = new ConcurrentHashMap<>();
    private volatile boolean broken;

    void breakDown() {
      broken = true;
    }

    @Override
    public Optional<String> read(String part) throws IOException {
      throwIfBroken();
      return Optional.ofNullable(texts.get(part));
    }

    @Override
    public void write(String part, String text) throws IOException {
      throwIfBroken();
      texts.put(part, text);
    }

    @Override
    public Set<String> parts() throws IOException {
      throwIfBroken();
      return Set.copyOf(texts.keySet());
    }

    @Override
    public void remove(String part) throws IOException {
      throwIfBroken();
      texts.remove(part);
    }

    private void throwIfBroken() throws IOException {
      if (broken) {
        throw new IOException("no space left on device");
      }
    }
  }

  final ShiftedTime time = new ShiftedTime();
  final List<Finding> progress = new ArrayList<>();
  final List<String> loginsAskedFor = new ArrayList<>();
  final ContainersConfig limits;
  final Engine engine;
  final KeptStates states = new KeptStates();
  int reloads;
  Optional<String> imageOfTpuEnv = Optional.empty();
  HostRoot root = HostRoot.MACHINE;
  Gate gate = Optional::empty;
  RegistryLogin login = _ -> Optional.empty();

  Bench(String address) {
    this(address, Duration.ofSeconds(5));
  }

  Bench(String address, Duration callDeadline) {
    this(address, TestConfigs.limits(callDeadline, Duration.ofMinutes(5)));
  }

  Bench(String address, ContainersConfig limits) {
    this.limits = limits;
    engine = new Engine(address, limits);
  }

  /** A component as a daemon that has just started has it. */
  SupervisedContainer supervise(TestConfigs.One one) {
    return new SupervisedContainer(
        one.config(),
        () -> gate.heldBack(),
        () -> imageOfTpuEnv,
        new Workplace(
            limits,
            engine,
            registry -> {
              loginsAskedFor.add(registry);
              return login.credentials(registry);
            },
            states,
            () -> reloads,
            root,
            time,
            new Random(1)));
  }

  Finding pass(SupervisedContainer container) throws InterruptedException {
    return ControlLoop.look(container, progress::add);
  }

  /** One pass of a component that has just been made. */
  Finding pass(TestConfigs.One one) throws InterruptedException {
    return pass(supervise(one));
  }

  static Object fact(Finding finding, String name) {
    return Map.copyOf(finding.facts()).get(name);
  }

  @Override
  public void close() throws IOException {
    engine.close();
  }
}
