package org.tpubootd.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.metadata.ScriptedMetadata.later;
import static org.tpubootd.metadata.ScriptedMetadata.value;

import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tpubootd.core.FakeTime;
import org.tpubootd.metadata.Reading.Status;

class DirectAttributesTest {

  private final FakeTime time = new FakeTime();
  private final ScriptedMetadata server = new ScriptedMetadata(time);
  private final DirectAttributes attributes =
      new DirectAttributes(server, Duration.ofSeconds(10), time, new SplittableRandom(7));

  @Test
  void read_asksOncePerKey() throws Exception {
    server.then(value("a", "e1")).then(new Answer.Absent("no such value"));

    assertThat(attributes.read("tpu-env").textIfAny()).contains("a");
    assertThat(attributes.read("tpu-env").textIfAny()).contains("a");
    assertThat(attributes.read("worker-id").status()).isEqualTo(Status.ABSENT);
    assertThat(attributes.read("worker-id").status()).isEqualTo(Status.ABSENT);

    assertThat(server.questions())
        .containsExactly("get instance/attributes/tpu-env", "get instance/attributes/worker-id");
  }

  @Test
  void read_triesAgainWhileTheServerIsAway() throws Exception {
    server.then(later("refused")).then(later("503")).then(value("a", "e1"));

    assertThat(attributes.read("tpu-env")).isEqualTo(new Reading(Status.PRESENT, "a", null, null));
    assertThat(time.waits()).hasSize(2);
  }

  @Test
  void read_doesNotTryAgainWhatIsRefused() throws Exception {
    server.then(new Answer.Refused("403", "let it ask"));

    assertThat(attributes.read("tpu-env"))
        .isEqualTo(new Reading(Status.REFUSED, null, "403", "let it ask"));
  }

  @Test
  void read_givesUpWhenTheBudgetIsSpent() throws Exception {
    server.after(Duration.ofSeconds(6), later("no answer"));
    server.after(Duration.ofSeconds(6), later("still no answer"));

    Reading reading = attributes.read("tpu-env");

    assertThat(reading.status()).isEqualTo(Status.UNREACHABLE);
    assertThat(reading.cause()).isEqualTo("still no answer");
  }

  @Test
  void read_theBudgetIsForAllKeysTogether() throws Exception {
    server.after(Duration.ofSeconds(10), later("no answer"));

    attributes.read("tpu-env");
    Reading other = attributes.read("worker-id");

    assertThat(other.status()).isEqualTo(Status.UNREACHABLE);
    assertThat(other.cause()).isEqualTo("no answer");
    assertThat(server.questions()).containsExactly("get instance/attributes/tpu-env");
  }

  @Test
  void read_doesNotWaitForARetryThatTheBudgetCannotPay() throws Exception {
    server.then(new Answer.TryLater("503", Optional.of(Duration.ofMinutes(1))));

    assertThat(attributes.read("tpu-env").cause()).isEqualTo("503");
    assertThat(time.waits()).isEmpty();
  }
}
