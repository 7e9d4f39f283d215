package org.tpubootd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tpubootd.image.Result;
import org.tpubootd.image.Severity;

/** Tests for {@link CheckTable}. */
class CheckTableTest {

  private static final Result GOOD =
      new Result("package", Severity.OK, "version 0.1.0", null, List.of());

  @Test
  void print_isARowForEachResultAndWhatToDoUnderIt() {
    String table =
        print(
            false,
            GOOD,
            new Result(
                "kernel arguments",
                Severity.WARNING,
                "/boot/grub/grub.cfg starts 'Ubuntu' and 1 more without idle=poll",
                "run update-grub in the image",
                List.of("a note")),
            new Result("engine", Severity.ERROR, "no engine", "install one", List.of()),
            new Result("images", Severity.NOT_APPLICABLE, "no container", null, List.of()));

    assertThat(table)
        .isEqualTo(
            """
            CHECK             STATE    FOUND
            package           ok       version 0.1.0
            kernel arguments  warning  /boot/grub/grub.cfg starts 'Ubuntu' and 1 more
                                       without idle=poll
                do:    run update-grub in the image
                note:  a note
            engine            error    no engine
                do:    install one
            images            n/a      no container

            This is not a good TPU image: engine.
            Warnings: kernel arguments.
            """);
  }

  @Test
  void print_saysThatAllIsWell() {
    assertThat(print(false, GOOD)).endsWith("\n\nThis is a good TPU image.\n");
  }

  @Test
  void print_coloursTheStateOnATerminalOnly() {
    var wrong = new Result("engine", Severity.ERROR, "no engine", "install one", List.of());

    assertThat(print(true, wrong)).contains("\u001b[31merror   \u001b[0m");
    assertThat(print(false, wrong)).doesNotContain("\u001b");
  }

  private static String print(boolean colours, Result... results) {
    var text = new StringWriter();
    new CheckTable(new Screen(new PrintWriter(text), colours))
        .print(List.of(results), "a good TPU image");
    return text.toString();
  }
}
