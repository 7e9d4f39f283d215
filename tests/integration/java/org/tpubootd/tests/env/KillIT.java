package org.tpubootd.tests.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tpubootd.env.SafeFile;

/** A writer killed with SIGKILL at 200 random moments, under the eyes of a reader. */
@Tag("real")
class KillIT {

  private static final Logger log = LoggerFactory.getLogger(KillIT.class);
  private static final String FILE = "/home/tpu-runtime/tpu-env";
  private static final int LANES = 4;
  private static final int KILLS_A_LANE = 50;

  @TempDir Path directory;

  /** What one lane, with a file of its own, has seen. */
  private record Seen(int reads, List<String> bad, int leftOvers) {}

  @Test
  void killedAtRandomMoments_noReadIsTornAndNothingIsLeft() throws Exception {
    long seed = System.nanoTime();
    log.info("seed {}", seed);
    var lanes = new ArrayList<Future<Seen>>();
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (int lane = 0; lane < LANES; lane++) {
        Path root = Files.createDirectory(directory.resolve("root" + lane));
        var random = new Random(seed + lane);
        lanes.add(threads.submit((Callable<Seen>) () -> lane(root, random)));
      }
    }
    int reads = 0;
    int leftOvers = 0;
    for (var lane : lanes) {
      assertThat(lane.get().bad()).describedAs("seed %d", seed).isEmpty();
      reads += lane.get().reads();
      leftOvers += lane.get().leftOvers();
    }
    log.info(
        "{} kills, {} of them left something that was then swept; {} reads, all whole",
        LANES * KILLS_A_LANE,
        leftOvers,
        reads);
    assertThat(reads).isGreaterThan(LANES * KILLS_A_LANE);
  }

  private static Seen lane(Path root, Random random) throws Exception {
    Path home = root.resolve("home/tpu-runtime");
    Path file = home.resolve("tpu-env");
    Rewriter.write(root, FILE, 0);
    var stop = new AtomicBoolean();
    var reads = new int[1];
    var bad = new ArrayList<String>();
    var reader =
        Thread.ofPlatform()
            .start(() -> {
              while (!stop.get()) {
                reads[0]++;
                String wrong = wrong(file);
                if (wrong != null) {
                  bad.add(wrong);
                }
              }
            });
    int leftOvers = 0;
    try {
      for (int kill = 0; kill < KILLS_A_LANE; kill++) {
        var process = start(root, 1 + kill * 1000);
        try (var output = process.inputReader()) {
          assertThat(output.readLine()).isEqualTo("rewriting");
          // The random moment itself, not a wait for something.
          LockSupport.parkNanos(random.nextLong(20_000_000));
        } finally {
          process.destroyForcibly().waitFor();
        }
        if (names(home).size() > 1) {
          leftOvers++;
        }
        // What the next start does first.
        Rewriter.write(root, FILE, 0);
        assertThat(names(home)).containsExactly("tpu-env");
      }
    } finally {
      stop.set(true);
      reader.join();
    }
    return new Seen(reads[0], bad, leftOvers);
  }

  private static @Nullable String wrong(Path file) {
    try {
      String text = Files.readString(file);
      return Rewriter.isWhole(text) ? null : "torn, " + text.length() + " characters";
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static List<String> names(Path folder) throws IOException {
    try (var listing = Files.list(folder)) {
      return listing.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static Process start(Path root, int number) throws Exception {
    String classes = location(SafeFile.class) + ":" + location(Rewriter.class);
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-cp",
            classes,
            Rewriter.class.getName(),
            root.toString(),
            FILE,
            Integer.toString(number))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String location(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }
}
