package org.tpubootd.image;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tpubootd.core.Finding;

/**
 * What a check has found.
 *
 * @param check its name; a check may have several results
 * @param found one line, no full stop: what is so
 * @param advice what a person can do; null where nothing is to be done
 * @param notes what a person should know although it does not count, a line each
 */
public record Result(
    String check, Severity severity, String found, @Nullable String advice, List<String> notes) {

  public Result {
    notes = List.copyOf(notes);
  }

  static Result ok(String check, String found) {
    return new Result(check, Severity.OK, found, null, List.of());
  }

  static Result warning(String check, String found, String advice) {
    return new Result(check, Severity.WARNING, found, advice, List.of());
  }

  static Result error(String check, String found, String advice) {
    return new Result(check, Severity.ERROR, found, advice, List.of());
  }

  /** An error where the host is ready only with what this is about, else a warning. */
  static Result missing(boolean required, String check, String found, String advice) {
    return required ? error(check, found, advice) : warning(check, found, advice);
  }

  static Result notApplicable(String check, String found) {
    return new Result(check, Severity.NOT_APPLICABLE, found, null, List.of());
  }

  Result withNotes(List<String> notes) {
    return new Result(check, severity, found, advice, notes);
  }

  /**
   * What a component of the daemon says of its part before it has done anything.
   *
   * @param required whether the host is ready only when the part is
   * @param canBeDone whether the daemon, once it runs, does what the part waits for
   */
  public static Result of(String part, Finding finding, boolean required, boolean canBeDone) {
    Severity severity =
        switch (finding.state()) {
          case OK -> Severity.OK;
          case INERT -> Severity.NOT_APPLICABLE;
          case WAITING -> canBeDone ? Severity.OK : Severity.WARNING;
          case DEGRADED -> Severity.WARNING;
          case FAILED -> required ? Severity.ERROR : Severity.WARNING;
        };
    var notes =
        Stream.concat(finding.causeIfAny().stream(), finding.notes().stream())
            .filter(note -> !note.equals("see the notes"))
            .toList();
    return new Result(part, severity, finding.summary(), finding.actionIfAny().orElse(null), notes);
  }
}
