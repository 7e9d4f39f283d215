package org.tpubootd.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.PullResponseItem;
import org.junit.jupiter.api.Test;

/** Tests for {@link PullProgress}. */
class PullProgressTest {

  private final PullProgress progress = new PullProgress();

  @Test
  void toString_addsUpLayersAndBytes() throws Exception {
    take("Pulling from p/vbar", "0.0.1", 0, 0);
    take("Pulling fs layer", "a", 0, 0);
    take("Pulling fs layer", "b", 0, 0);
    take("Already exists", "c", 0, 0);
    take("Downloading", "a", 20_000_000, 40_000_000);
    take("Downloading", "b", 30_000_000, 80_000_000);
    assertThat(progress).hasToString("1 of 3 layers, 50 of 120 MB");
    take("Download complete", "a", 0, 0);
    take("Extracting", "a", 1_000_000, 40_000_000);
    assertThat(progress).hasToString("1 of 3 layers, 70 of 120 MB");
    take("Pull complete", "a", 0, 0);
    assertThat(progress).hasToString("2 of 3 layers, 70 of 120 MB");
  }

  @Test
  void toString_beforeTheFirstLayer_saysSo() throws Exception {
    take("Pulling from p/vbar", "0.0.1", 0, 0);

    assertThat(progress).hasToString("its layers are not known yet");
  }

  @Test
  void take_sameAgainOrTriedAgainIsNoProgress() throws Exception {
    assertThat(take("Downloading", "a", 1, 10)).isTrue();
    assertThat(take("Downloading", "a", 1, 10)).isFalse();
    assertThat(take("Retrying in 5 seconds", "a", 0, 0)).isFalse();
    assertThat(take("Downloading", "a", 2, 10)).isTrue();
  }

  private boolean take(String status, String id, long current, long total) throws Exception {
    String json =
        """
        {"status": "%s", "id": "%s", "progressDetail": {"current": %d, "total": %d}}
        """
            .formatted(status, id, current, total);
    return progress.take(new ObjectMapper().readValue(json, PullResponseItem.class));
  }
}
