package org.tpubootd.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  /** Draws the largest number it may, so that a wait shows its bound. */
  private static final RandomGenerator LARGEST =
      new RandomGenerator() {
        @Override
        public long nextLong() {
          return Long.MAX_VALUE;
        }

        @Override
        public long nextLong(long bound) {
          return bound - 1;
        }
      };

  private static Backoff backoff(int first, int longest, RandomGenerator random) {
    return new Backoff(Duration.ofSeconds(first), Duration.ofSeconds(longest), random);
  }

  private static List<Long> seconds(Backoff backoff, int count) {
    return Stream.generate(backoff::next).limit(count).map(Duration::toSeconds).toList();
  }

  @Test
  void next_boundDoublesUpToTheLongest() {
    assertThat(seconds(backoff(1, 30, LARGEST), 7)).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L);
  }

  @Test
  void next_firstAboveLongest_isNeverLongerThanTheLongest() {
    assertThat(seconds(backoff(60, 30, LARGEST), 3)).containsExactly(30L, 30L, 30L);
  }

  @Test
  void reset_beginsWithTheFirstBoundAgain() {
    var backoff = backoff(1, 30, LARGEST);
    seconds(backoff, 5);
    backoff.reset();
    assertThat(seconds(backoff, 2)).containsExactly(1L, 2L);
  }

  @Test
  void next_drawsFromTheWholeRange() {
    var backoff = backoff(8, 8, new Random(7));
    var waits = new ArrayList<Duration>();
    for (int i = 0; i < 1000; i++) {
      waits.add(backoff.next());
    }
    assertThat(waits)
        .allMatch(wait -> !wait.isNegative() && wait.compareTo(Duration.ofSeconds(8)) <= 0)
        .anyMatch(wait -> wait.compareTo(Duration.ofSeconds(1)) < 0)
        .anyMatch(wait -> wait.compareTo(Duration.ofSeconds(7)) > 0);
  }
}
