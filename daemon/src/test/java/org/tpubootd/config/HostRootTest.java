package org.tpubootd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests for {@link HostRoot}: links lead to where they will lead on the host. */
class HostRootTest {

  @TempDir Path directory;

  @AfterEach
  void removeLinks() throws Exception {
    Links.removeBelow(directory);
  }

  @BeforeEach
  void makeTree() throws Exception {
    Files.createDirectories(directory.resolve("usr/lib/systemd"));
    link("lib", "/usr/lib");
    link("relative", "usr/lib");
    link("usr/up", "../../../../../etc");
    link("all", "/");
    link("nowhere", "/etc/gone/file");
    link("first", "/second");
    link("second", "/first");
  }

  private void link(String name, String target) throws Exception {
    Files.createSymbolicLink(directory.resolve(name), Path.of(target));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      textBlock =
          """
          /,                    ''
          /etc/passwd,          etc/passwd
          /lib/systemd/x,       usr/lib/systemd/x
          /relative/systemd,    usr/lib/systemd
          /lib/../x,            usr/x
          /../../x,             x
          /usr/up/passwd,       etc/passwd
          /all/lib,             usr/lib
          /nowhere,             etc/gone/file
          """)
  void follow_staysBelowTheRoot(String path, String found) throws Exception {
    assertThat(new HostRoot(directory).follow(path)).isEqualTo(directory.resolve(found));
  }

  @Test
  void follow_endsLinksInACircle() {
    assertThatThrownBy(() -> new HostRoot(directory).follow("/first"))
        .isInstanceOf(FileSystemLoopException.class);
  }

  @Test
  void follow_ofTheMachineIsTheKernels() throws Exception {
    String link = directory.resolve("lib").toString();

    assertThat(HostRoot.MACHINE.follow(link)).isEqualTo(Path.of(link));
  }
}
