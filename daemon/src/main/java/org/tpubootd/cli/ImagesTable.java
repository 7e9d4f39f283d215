package org.tpubootd.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tpubootd.container.ImageList;
import org.tpubootd.container.ImageList.Archive;
import org.tpubootd.container.ImageList.Needed;

/** Prints which images are needed, which are here, and what lies in archives. */
final class ImagesTable {

  private static final String ROW = "%-12s %-8s %s";
  private static final String UNDER = " ".repeat(4);

  private final Screen screen;

  ImagesTable(Screen screen) {
    this.screen = screen;
  }

  void print(ImageList list) {
    screen.line(ROW.formatted("CONTAINER", "IMAGE", "").stripTrailing());
    list.images().forEach(this::print);
    if (!list.archives().isEmpty()) {
      screen.line("");
      screen.line("ARCHIVES");
      list.archives().forEach(this::print);
    }
    list.problems().forEach(problem -> screen.wrapped("note:  ", problem, "       "));
    screen.line("");
    verdict(list);
  }

  private void print(Needed needed) {
    String name = needed.image() == null ? "tpu-env names it, not known here" : needed.image();
    String row = ROW.formatted(needed.container(), needed.state(), name);
    if (row.length() <= Screen.COLUMNS) {
      screen.line(row);
    } else {
      screen.line(ROW.formatted(needed.container(), needed.state(), "").stripTrailing());
      screen.line(UNDER + name);
    }
    ImageList.OnEngine is = needed.onEngine();
    if (is != null) {
      screen.line(
          UNDER
              + "%s, %s, made %s".formatted(shortId(is.id()), size(is.size()), day(is.created())));
      // What stands in front of it is the image's name once more.
      is.digests().stream()
          .map(digest -> digest.substring(digest.indexOf('@') + 1))
          .distinct()
          .forEach(digest -> screen.line(UNDER + digest));
    } else if (needed.archive() != null) {
      screen.wrapped(UNDER, "in " + needed.archive(), UNDER);
    }
  }

  private void print(Archive archive) {
    screen.line(archive.path());
    String sum =
        switch (archive.sum()) {
          case "right" -> "its SHA-256 is right";
          case "wrong" -> "its SHA-256 is not right";
          default -> "no SHA-256 beside it";
        };
    screen.line(UNDER + size(archive.size()) + ", " + sum);
    archive.images().forEach(image -> screen.line(UNDER + image));
    if (archive.problem() != null) {
      screen.wrapped(UNDER + "not used: ", archive.problem(), UNDER);
    }
  }

  private void verdict(ImageList list) {
    if (list.trouble() != null) {
      screen.wrapped("", "The engine does not answer: " + list.trouble() + ".", "");
      screen.wrapped("do:    ", String.valueOf(list.action()), "       ");
      return;
    }
    List<String> lacking =
        list.images().stream()
            .filter(one -> one.state().equals(ImageList.MISSING))
            .map(Needed::container)
            .toList();
    if (!lacking.isEmpty()) {
      screen.wrapped("", "Missing: " + String.join(", ", lacking) + ".", "");
      screen.line("do:    tpu-bootd images pull");
    } else {
      screen.line(list.isComplete() ? "All images are here." : "Not all images are known.");
    }
  }

  private static String shortId(String id) {
    String digits = id.substring(id.indexOf(':') + 1);
    return digits.substring(0, Math.min(12, digits.length()));
  }

  static String size(long bytes) {
    return bytes < 1_000_000 ? bytes / 1000 + " kB" : bytes / 1_000_000 + " MB";
  }

  private static String day(@Nullable String created) {
    return created == null || created.length() < 10
        ? "at an unknown time"
        : created.substring(0, 10);
  }
}
