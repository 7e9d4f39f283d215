package org.tpubootd.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.DevicesConfig.GenerationRow;
import org.tpubootd.config.DevicesConfig.NodeKind;
import org.tpubootd.pci.Generations.Identity;

class GenerationsTest {

  private static final Generations BUILT_IN = Generations.load(List.of());

  private static PciFunction function(String vendor, String device, String subsystem) {
    return new PciFunction(
        "0000:00:05.0",
        vendor,
        device,
        "1ae0",
        subsystem,
        "ff0000",
        Optional.empty(),
        Optional.of("5"),
        0);
  }

  @ParameterizedTest
  @CsvSource({
    "0027, 004e, v2, ACCEL, 4, 1",
    "0027, 004f, v3, ACCEL, 4, 1",
    "005e, 0000, v4, ACCEL, 4, 1",
    "0062, 00ad, v5p, VFIO, 4, 1",
    "0063, 0000, v5e, VFIO, 1 4 8, 1",
    "006f, 00d1, v6e, VFIO, 1 4 8, 1",
    "0076, 00f2, tpu7x, VFIO, 4, 2",
  })
  void identify_knowsEveryGeneration(
      String device, String subsystem, String name, NodeKind node, String chips, int perChip) {
    assertThat(BUILT_IN.identify(function("1ae0", device, subsystem)))
        .isInstanceOfSatisfying(
            Identity.Tpu.class,
            tpu -> {
              assertThat(tpu.row().name()).isEqualTo(name);
              assertThat(tpu.row().node()).isEqualTo(node);
              assertThat(tpu.row().chipsPerHost().stream().map(String::valueOf))
                  .containsExactly(chips.split(" "));
              assertThat(tpu.row().functionsPerChip()).isEqualTo(perChip);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"001a", "001f", "0028", "0042", "0084", "abcd"})
  void identify_whatIsNoTpuIsPassedOverInSilence(String device) {
    assertThat(BUILT_IN.identify(function("1ae0", device, "00ad"))).isEqualTo(new Identity.Other());
  }

  @ParameterizedTest
  @CsvSource({
    "006e, 00d1, is the physical function of a v6e: it is not bound",
    "0075, 00f2, is a TPU7x function whose kind the public sources disagree on",
    "007c, 0000, is a TPU8t",
    "0062, 00ae, has the device id of a v5p but another subsystem id",
    "0027, 0050, has the device id of a v2 but another subsystem id",
    "1234, 0001, is a function of Google's that tpu-bootd does not know",
  })
  void identify_whatMayBeATpuIsReported(String device, String subsystem, String sentence) {
    assertThat(BUILT_IN.identify(function("1ae0", device, subsystem)))
        .isInstanceOfSatisfying(
            Identity.Reported.class,
            reported -> assertThat(reported.sentence()).contains(sentence, "0000:00:05.0"));
  }

  @Test
  void identify_theSameIdsOfAnotherVendorAreNotOurs() {
    assertThat(BUILT_IN.identify(function("8086", "0062", "00ad"))).isEqualTo(new Identity.Other());
  }

  @Test
  void identify_theSubsystemVendorCountsToo() {
    var foreign =
        new PciFunction(
            "0000:00:05.0",
            "1ae0",
            "0062",
            "8086",
            "00ad",
            "ff0000",
            Optional.empty(),
            Optional.empty(),
            -1);
    assertThat(BUILT_IN.identify(foreign)).isInstanceOf(Identity.Reported.class);
  }

  @Test
  void load_configuredRowReplacesTheOneOfTheSameIds() {
    var vfio = new GenerationRow("v4", "005e", null, NodeKind.VFIO, List.of(4), 1);
    Generations table = Generations.load(List.of(vfio));
    assertThat(table.rows()).hasSameSizeAs(BUILT_IN.rows());
    assertThat(table.identify(function("1ae0", "005e", "0001"))).isEqualTo(new Identity.Tpu(vfio));
  }

  @Test
  void load_configuredRowIsAddedAndTheMoreExactRowWins() {
    var any = new GenerationRow("v5p-next", "0062", null, NodeKind.VFIO, List.of(4), 1);
    Generations table = Generations.load(List.of(any));
    assertThat(table.identify(function("1ae0", "0062", "00ff"))).isEqualTo(new Identity.Tpu(any));
    assertThat(table.identify(function("1ae0", "0062", "00ad")))
        .isInstanceOfSatisfying(
            Identity.Tpu.class, tpu -> assertThat(tpu.row().name()).isEqualTo("v5p"));
  }

  @Test
  void load_configuredRowMayBindWhatIsOnlyReported() {
    var eight = new GenerationRow("tpu8t", "007c", null, NodeKind.VFIO, List.of(), 1);
    assertThat(Generations.load(List.of(eight)).identify(function("1ae0", "007c", "0001")))
        .isEqualTo(new Identity.Tpu(eight));
  }

  @Test
  void load_configuredRowForTheNetworkCardIsIgnoredAndSaidToBe() {
    var card = new GenerationRow("oops", "0042", null, NodeKind.VFIO, List.of(), 1);
    Generations table = Generations.load(List.of(card));
    assertThat(table.identify(function("1ae0", "0042", "0058"))).isEqualTo(new Identity.Other());
    assertThat(table.refusedRows())
        .containsExactly(
            "the row 'oops' of devices.generations names the device id 0042, which is a gVNIC"
                + " network card: the row is ignored");
  }
}
