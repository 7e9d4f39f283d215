package org.tpubootd.tests.packaging;

import static org.tpubootd.tests.packaging.BuiltPackage.PROJECT;
import static org.tpubootd.tests.packaging.BuiltPackage.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tpubootd.tests.packaging.BuiltPackage.Said;

/** A minimal Debian in a directory, as an image builder has it: nothing runs in it. */
final class Chroot implements AutoCloseable {

  /** What any package changes: its own records, logs, locks and copies of the last state. */
  private static final String UNINTERESTING =
      "^./(var/lib/dpkg|var/log|var/cache|tmp|proc|dev|etc/[a-z]*-|etc/.pwd.lock|run/lock)(/|$| )";

  private final Path root;

  private Chroot(Path root) {
    this.root = root;
  }

  /**
   * Unpacks one.
   *
   * @param packages what is to be in it beside the least
   */
  static Chroot make(String... packages) throws IOException, InterruptedException {
    Path root = Files.createTempDirectory("tpu-bootd-debian");
    var command = new ArrayList<>(List.of(PROJECT.resolve("tests/minimal-debian").toString()));
    command.addAll(List.of(packages));
    String archive = run(Map.of(), command).ok().out().strip();
    run("tar", "-C", root.toString(), "--exclude=./dev/*", "-xpf", archive).ok();
    return new Chroot(root);
  }

  Path file(String absolute) {
    return root.resolve(absolute.substring(1));
  }

  String read(String absolute) throws IOException {
    return Files.readString(file(absolute));
  }

  void write(String absolute, String text) throws IOException {
    Path file = file(absolute);
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
  }

  /** Puts a program there that writes its arguments to /tmp/NAME.calls and ends with this code. */
  void recorder(String name, int code) throws IOException {
    recorder(name, "exit " + code);
  }

  /** The same of one that goes on with a script of the shell. */
  void recorder(String name, String script) throws IOException {
    String path = "/usr/local/sbin/" + name;
    write(path, "#!/bin/sh\necho \"$*\" >>/tmp/" + name + ".calls\n" + script + "\n");
    if (!file(path).toFile().setExecutable(true, false)) {
      throw new IOException("cannot make " + path + " a program");
    }
  }

  /** What a recorder has been called with, and forgets it. */
  List<String> calls(String name) throws IOException {
    Path calls = file("/tmp/" + name + ".calls");
    if (!Files.exists(calls)) {
      return List.of();
    }
    List<String> lines = Files.readAllLines(calls);
    Files.delete(calls);
    return lines;
  }

  /** Runs a program inside, with /proc and /dev that only it sees. */
  Said inside(String... command) throws IOException, InterruptedException {
    var line = new ArrayList<String>();
    line.addAll(List.of("unshare", "--mount", "sh", "-c"));
    line.add(
        "mount -t proc proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && exec chroot \"$0\""
            + " \"$@\"");
    line.add(root.toString());
    line.addAll(List.of(command));
    return run(
        Map.of(
            "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND", "noninteractive",
            "HOME", "/root"),
        line);
  }

  Said shell(String script) throws IOException, InterruptedException {
    return inside("sh", "-c", script);
  }

  Said install(Path deb) throws IOException, InterruptedException {
    run("cp", deb.toString(), file("/tmp/package.deb").toString()).ok();
    // unsafe-io: without an fsync for each file, of which nobody has anything here.
    return inside("dpkg", "--force-confdef,confold,unsafe-io", "--install", "/tmp/package.deb");
  }

  /** Every file with its kind, mode, owner and content: what may differ is left out. */
  String everything() throws IOException, InterruptedException {
    String list =
        """
        cd "$0" && { find . ! -type d -printf '%%p %%y %%m %%U:%%G %%l\\n'
        find . -type d -printf '%%p %%y %%m %%U:%%G\\n'
        find . -type f -exec sha256sum {} + | sed 's/\\([^ ]*\\)  \\(.*\\)/\\2 \\1/'
        } | grep -Ev '%s' | sort
        """
            .formatted(UNINTERESTING);
    return run("sh", "-c", list, root.toString()).ok().out();
  }

  /** Not a directory of JUnit's, which warns of every symbolic link that it deletes. */
  @Override
  public void close() throws IOException {
    try {
      run("rm", "-rf", "--one-file-system", root.toString()).ok();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
