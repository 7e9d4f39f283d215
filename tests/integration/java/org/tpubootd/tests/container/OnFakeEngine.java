package org.tpubootd.tests.container;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.testbed.FakeEngine;

/** A test whose passes work on an engine of the test-bed. */
abstract class OnFakeEngine {

  static final String NAME = "tpu-bootd-vbar";

  @TempDir Path directory;
  FakeEngine engine;
  Bench bench;

  @BeforeEach
  void startEngine() throws Exception {
    engine = FakeEngine.start(directory.resolve("engine.sock"));
    bench = new Bench(engine.address());
  }

  @AfterEach
  void stopEngine() throws Exception {
    bench.close();
    engine.close();
  }

  /** The calls that change something, without ids. */
  final List<String> changes() {
    return engine.received().stream()
        .filter(one -> !one.method().equals("GET"))
        .map(one ->
            one.method()
                + " "
                + one.path()
                    .replaceFirst("^/containers/[0-9a-f]{64}$", "container")
                    .replaceFirst("^/containers/[0-9a-f]{64}/", ""))
        .toList();
  }
}
