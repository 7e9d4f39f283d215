package org.tpubootd.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Finding;
import org.tpubootd.core.State;

class HostChecksTest {

  private static final String LIMITS =
      """
      Limit                     Soft Limit           Hard Limit           Units     \s
      Max open files            %s               524288               files     \s
      Max locked memory         %s              8388608              bytes     \s
      Max nice priority         0                    0                    \s
      """;

  @TempDir Path directory;
  private Optional<String> generation = Optional.of("v5p");
  private boolean noTpuHere;
  private boolean isService = true;

  @BeforeEach
  void hostAsItShouldBe() throws IOException {
    write("/proc/cmdline", "ro idle=poll intel_iommu=on,sm_on transparent_hugepage=always\n");
    write("/proc/cpuinfo", "vendor_id : GenuineIntel\n");
    write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    write("/proc/self/limits", LIMITS.formatted("100000", "unlimited"));
  }

  private void write(String onHost, String text) throws IOException {
    Path file = new HostRoot(directory).resolve(onHost);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Finding look() throws IOException {
    return new HostChecks(new HostRoot(directory), isService, () -> generation, () -> noTpuHere)
        .plan()
        .now();
  }

  @Test
  void plan_hostAsItShouldBeIsOkAndNothingIsChanged() throws IOException {
    assertThat(look().state()).isEqualTo(State.OK);
    assertThat(
            new HostChecks(new HostRoot(directory), isService, () -> generation, () -> noTpuHere)
                .plan()
                .steps())
        .isEmpty();
  }

  @Test
  void plan_hostWithoutTpuIsInert() throws IOException {
    generation = Optional.empty();
    noTpuHere = true;
    write("/proc/cmdline", "");
    assertThat(look().state()).isEqualTo(State.INERT);
  }

  @Test
  void plan_hostOfWhichNothingIsKnownYetWaits() throws IOException {
    generation = Optional.empty();
    assertThat(look().state()).isEqualTo(State.WAITING);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v5p   | GenuineIntel | ro idle=poll                               | without"
            + " intel_iommu=on,sm_on",
        "tpu7x | GenuineIntel | ro idle=poll intel_iommu=on                | without"
            + " intel_iommu=on,sm_on",
        "v6e   | GenuineIntel | ro                                         | without idle=poll",
        "v5p   | AuthenticAMD | ro no_idle=poll                            | without idle=poll",
      })
  void plan_argumentThatIsMissingIsNamed(String tpu, String cpu, String cmdline, String note)
      throws IOException {
    generation = Optional.of(tpu);
    write("/proc/cpuinfo", cpu);
    write("/proc/cmdline", cmdline);
    Finding found = look();
    assertThat(found.state()).isEqualTo(State.DEGRADED);
    assertThat(found.notes()).singleElement().asString().contains(note);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v6e   | GenuineIntel | idle=poll",
        "v5p   | AuthenticAMD | idle=poll",
        "v5p   | GenuineIntel | idle=poll intel_iommu=sm_on,on",
        "tpu7x | GenuineIntel | idle=poll intel_iommu=on intel_iommu=sm_on",
      })
  void plan_argumentThatIsNotNeededOrWrittenOtherwiseIsRight(String tpu, String cpu, String cmdline)
      throws IOException {
    generation = Optional.of(tpu);
    write("/proc/cpuinfo", cpu);
    write("/proc/cmdline", cmdline);
    assertThat(look().state()).isEqualTo(State.OK);
  }

  @Test
  void plan_hugePagesAreJudgedByWhatIsInForce() throws IOException {
    write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    assertThat(look().notes()).singleElement().asString().contains("'always [madvise] never'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1024   | unlimited | open files of a service is 1024 instead of 100000: set"
            + " DefaultLimitNOFILE=100000",
        "100000 | 8388608   | locked memory of a service is 8388608 instead of unlimited: set"
            + " DefaultLimitMEMLOCK=infinity",
      })
  void plan_limitThatIsTooLowIsNamed(String files, String memory, String note) throws IOException {
    write("/proc/self/limits", LIMITS.formatted(files, memory));
    assertThat(look().notes()).singleElement().asString().startsWith(note);
  }

  @Test
  void plan_limitOfACommandIsNotCalledThatOfAService() throws IOException {
    isService = false;
    write("/proc/self/limits", LIMITS.formatted("1024", "unlimited"));
    assertThat(look().notes()).singleElement().asString().startsWith("open files of this process");
    assertThat(look().summary())
        .isEqualTo("one setting of the kernel or of limits is not what a TPU host needs");
  }

  @Test
  void plan_limitsThatCannotBeReadAreNamed() throws IOException {
    Files.delete(directory.resolve("proc/self/limits"));
    assertThat(look().notes())
        .containsExactly(
            "/proc/self/limits does not tell the limit of locked memory",
            "/proc/self/limits does not tell the limit of open files");
  }
}
