package org.tpubootd.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.metadata.ScriptedMetadata.later;
import static org.tpubootd.metadata.ScriptedMetadata.value;

import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tpubootd.core.FakeTime;
import org.tpubootd.metadata.MetadataGet.Result;

class MetadataGetTest {

  private final FakeTime time = new FakeTime();
  private final ScriptedMetadata server = new ScriptedMetadata(time);

  private Result run(String key, Optional<String> fallback, String type) throws Exception {
    return new MetadataGet(server, Duration.ofSeconds(10), time, new SplittableRandom(7))
        .run(key, fallback, type);
  }

  private Result run(Optional<String> fallback) throws Exception {
    return run("tpu-env", fallback, MetadataGet.DEFAULT_TYPE);
  }

  @Test
  void value_isPrintedAsReceivedWithANewlineIfItHasNone() throws Exception {
    server.then(value("a 'b'", "e")).then(value("two\nlines\n", "e")).then(value("", "e"));

    assertThat(run(Optional.of("unused"))).isEqualTo(new Result(0, "a 'b'\n", ""));
    assertThat(run(Optional.empty())).isEqualTo(new Result(0, "two\nlines\n", ""));
    assertThat(run(Optional.empty())).isEqualTo(new Result(0, "\n", ""));
  }

  @Test
  void absent_theDefaultIsPrinted() throws Exception {
    server.then(new Answer.Absent("404"));

    assertThat(run(Optional.of("standard"))).isEqualTo(new Result(0, "standard\n", ""));
  }

  @Test
  void absent_anEmptyDefaultIsADefault() throws Exception {
    server.then(new Answer.Absent("404"));

    assertThat(run(Optional.of(""))).isEqualTo(new Result(0, "\n", ""));
  }

  @Test
  void absent_withoutADefaultFails() throws Exception {
    server.then(new Answer.Absent("asking: it answered 404 Not Found"));

    assertThat(run(Optional.empty()))
        .isEqualTo(
            new Result(1, "", "asking: it answered 404 Not Found, and no default is given\n"));
  }

  @Test
  void refused_failsEvenWithADefault() throws Exception {
    server.then(new Answer.Refused("asking: it answered 403", "let this VM ask"));

    assertThat(run(Optional.of("standard")))
        .isEqualTo(new Result(1, "", "asking: it answered 403; let this VM ask\n"));
  }

  @Test
  void away_isTriedAgain() throws Exception {
    server.then(later("refused")).then(later("503")).then(value("a", "e"));

    assertThat(run(Optional.empty())).isEqualTo(new Result(0, "a\n", ""));
  }

  @Test
  void away_failsInTheEnd() throws Exception {
    for (int i = 0; i < 1000; i++) {
      server.then(later("asking: connection refused"));
    }

    assertThat(run(Optional.of("standard")))
        .isEqualTo(new Result(1, "", "asking: connection refused\n"));
    assertThat(time.nanos()).isLessThanOrEqualTo(Duration.ofSeconds(10).toNanos());
  }

  @ParameterizedTest
  @CsvSource({
    "tpu-env, attributes, instance/attributes/tpu-env",
    "a/b, attributes, instance/attributes/a%2Fb",
    "0/ip, network-interfaces, instance/network-interfaces/0/ip",
    "email, service-accounts/default, instance/service-accounts/default/email",
    "0/, disks, instance/disks/0/",
    "'a b', guest attributes, instance/guest%20attributes/a%20b",
  })
  void type_isTheDirectoryBelowInstance(String key, String type, String path) throws Exception {
    server.then(value("x", "e"));

    run(key, Optional.empty(), type);

    assertThat(server.questions()).containsExactly("get " + path);
  }
}
