package org.tpubootd.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tpubootd.core.Time;

class WatchedAttributesTest {

  private final Map<String, String> changed = new ConcurrentHashMap<>();
  private final CountDownLatch polling = new CountDownLatch(2);
  private final CountDownLatch ended = new CountDownLatch(2);

  /** Knows every key; holds every long poll until the thread is interrupted. */
  private final Metadata server =
      new Metadata() {
        @Override
        public Answer get(MetadataPath path) {
          return new Answer.Value("text of " + path.segments().getLast(), "e");
        }

        @Override
        public Answer waitForChange(MetadataPath path, String etag) throws InterruptedException {
          polling.countDown();
          try {
            new CountDownLatch(1).await();
            throw new AssertionError("nothing opens this latch");
          } finally {
            ended.countDown();
          }
        }
      };

  private WatchedAttributes watched() {
    return new WatchedAttributes(
        server,
        List.of("tpu-env", "worker-id"),
        Duration.ofSeconds(30),
        Time.system(),
        new SplittableRandom(7),
        key -> changed.put(key, ""));
  }

  @Test
  void start_watchesEveryKeyAndTellsWhichChanged() {
    try (var attributes = watched()) {
      assertThat(attributes.read("tpu-env").status()).isEqualTo(Reading.Status.PENDING);

      attributes.start();

      Awaitility.await()
          .untilAsserted(() -> assertThat(changed).containsOnlyKeys("tpu-env", "worker-id"));
      assertThat(attributes.read("tpu-env").textIfAny()).contains("text of tpu-env");
      assertThat(attributes.read("worker-id").textIfAny()).contains("text of worker-id");
    }
  }

  @Test
  @Timeout(30)
  void close_endsTheLongPolls() throws Exception {
    try (var attributes = watched()) {
      attributes.start();
      polling.await();
    }

    ended.await();
  }

  @Test
  void read_ofAKeyThatIsNotWatchedIsADefect() {
    try (var attributes = watched()) {
      assertThatThrownBy(() -> attributes.read("other"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("attribute other is not watched");
    }
  }
}
