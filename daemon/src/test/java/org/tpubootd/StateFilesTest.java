package org.tpubootd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.config.HostRoot;

/** Tests for {@link StateFiles}. */
class StateFilesTest {

  @TempDir Path root;

  @Test
  void parts_noFolderYet_none() throws Exception {
    assertThat(files().parts()).isEmpty();
  }

  @Test
  void parts_namesWhatWasWrittenAndNothingElse() throws Exception {
    files().write("vbar", "{}");
    files().write("a.b-c", "{}");
    Files.writeString(root.resolve("var/lib/tpu-bootd/containers/notes.txt"), "a person's");

    assertThat(files().parts()).containsExactlyInAnyOrder("vbar", "a.b-c");
  }

  @Test
  void remove_removesOneFileAndNoOther() throws Exception {
    files().write("vbar", "{}");
    files().write("extra", "{}");

    files().remove("extra");
    files().remove("never-there");

    assertThat(files().parts()).containsExactly("vbar");
    assertThat(files().read("extra")).isEmpty();
  }

  private StateFiles files() {
    return new StateFiles(new HostRoot(root));
  }
}
