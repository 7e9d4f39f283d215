package org.tpubootd.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tpubootd.host.KernelArguments;

/**
 * What a boot loader's own files say of how it starts kernels.
 *
 * @param kind of which kind it is
 * @param file where that was read
 * @param entries as it shows them, the first of which is taken by itself; those for recovery are
 *     left out
 */
record BootLoader(Kind kind, String file, List<BootEntry> entries) {

  /** How the arguments of kernels are changed there. */
  enum Kind {
    GRUB,
    /** One file an entry, as systemd-boot has it. */
    ENTRIES,
    /** The line of which kernel-install makes entries and unified kernels. */
    COMMAND_LINE
  }

  private static final List<String> GRUB = List.of("/boot/grub/grub.cfg", "/boot/grub2/grub.cfg");
  private static final List<String> ENTRIES =
      List.of("/boot/loader/entries", "/efi/loader/entries", "/boot/efi/loader/entries");
  private static final List<String> COMMAND_LINES =
      List.of("/etc/kernel/cmdline", "/usr/lib/kernel/cmdline");

  private static final Pattern TITLE =
      Pattern.compile("\\s*menuentry\\s+(?:'([^']*)'|\"([^\"]*)\"|(\\S+)).*");
  private static final Pattern LINUX = Pattern.compile("\\s*linux(?:16|efi)?\\s+(\\S+)(.*)");

  /** The first one that there is; empty where the tree has none. */
  static Optional<BootLoader> of(Tree tree) throws IOException {
    for (String file : GRUB) {
      var entries = grub(tree.lines(file));
      if (!entries.isEmpty()) {
        return loader(Kind.GRUB, file, entries);
      }
    }
    for (String directory : ENTRIES) {
      var entries = new ArrayList<BootEntry>();
      // In the order in which systemd-boot shows them: the newest first.
      var names = new ArrayList<>(tree.names(directory, ".conf"));
      names.sort(((Comparator<String>) Kernels::compare).reversed());
      for (String name : names) {
        entries.add(entry(name, tree.lines(directory + "/" + name)));
      }
      if (!entries.isEmpty()) {
        return loader(Kind.ENTRIES, directory, entries);
      }
    }
    for (String file : COMMAND_LINES) {
      Optional<String> line = tree.text(file);
      if (line.isPresent()) {
        var entry = new BootEntry(file, Optional.empty(), KernelArguments.of(line.get()));
        return loader(Kind.COMMAND_LINE, file, List.of(entry));
      }
    }
    return Optional.empty();
  }

  private static Optional<BootLoader> loader(Kind kind, String file, List<BootEntry> all) {
    return Optional.of(
        new BootLoader(kind, file, all.stream().filter(entry -> !entry.isForRecovery()).toList()));
  }

  private static List<BootEntry> grub(List<String> lines) {
    var entries = new ArrayList<BootEntry>();
    String title = "";
    for (String line : lines) {
      Matcher titled = TITLE.matcher(line);
      if (titled.matches()) {
        title =
            Optional.ofNullable(titled.group(1))
                .or(() -> Optional.ofNullable(titled.group(2)))
                .orElse(String.valueOf(titled.group(3)));
      }
      Matcher linux = LINUX.matcher(line);
      if (linux.matches()) {
        String arguments = linux.group(2).replaceAll("[\"']", "");
        entries.add(
            new BootEntry(title, Optional.of(linux.group(1)), KernelArguments.of(arguments)));
      }
    }
    return entries;
  }

  private static BootEntry entry(String name, List<String> lines) {
    String title = name;
    var kernel = Optional.<String>empty();
    var options = new StringBuilder();
    for (String line : lines) {
      String[] words = line.strip().split("\\s+", 2);
      if (words.length == 2) {
        switch (words[0]) {
          case "title" -> title = words[1];
          case "linux" -> kernel = Optional.of(words[1]);
          case "options" -> options.append(' ').append(words[1]);
          default -> {}
        }
      }
    }
    return new BootEntry(title, kernel, KernelArguments.of(options.toString()));
  }

  /** The version of the kernel that is started by itself, where that is told. */
  Optional<String> firstKernel() {
    return entries.stream().findFirst().flatMap(BootEntry::version);
  }
}
