package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpectedTest {

  @ParameterizedTest
  @CsvSource({
    "v2-8, v2",
    "v3-32, v3",
    "v4-256, v4",
    "v5p-16, v5p",
    "v5litepod-16, v5e",
    "v5lite-4, v5e",
    "v6e-1, v6e",
    "v7x-16, tpu7x",
    "tpu7x-16, tpu7x",
    "TPU7X-16, tpu7x",
    "v9z-8, v9z",
  })
  void from_readsTheGenerationOfEachForm(String acceleratorType, String generation) {
    assertThat(Expected.from(Optional.of(acceleratorType), Optional.empty()).generation())
        .contains(generation);
  }

  @ParameterizedTest
  @CsvSource({"''", "tpu", "v4", "v4-", "-8", "<html>"})
  void from_whatIsNoAcceleratorTypeIsNotTold(String acceleratorType) {
    Expected expected = Expected.from(Optional.of(acceleratorType), Optional.empty());
    assertThat(expected.generation()).isEmpty();
    assertThat(expected.promisesTpu()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"'2,2,1', 4", "'1,1,1', 1", "'2,4,1', 8", "'2, 2, 1', 4", "'0,2,1',", "'',", "4,"})
  void from_chipsAreTheProductOfTheBounds(String bounds, Integer chips) {
    assertThat(Expected.from(Optional.empty(), Optional.of(bounds)).chipsPerHost())
        .isEqualTo(Optional.ofNullable(chips));
  }

  @ParameterizedTest
  @CsvSource({"'9999,9999,9999'"})
  void from_boundsThatNoNumberHoldsAreNotTold(String bounds) {
    assertThat(Expected.from(Optional.empty(), Optional.of(bounds)).chipsPerHost()).isEmpty();
  }
}
