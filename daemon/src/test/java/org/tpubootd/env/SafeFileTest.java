package org.tpubootd.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.HostRoot;

/** Tests for {@link SafeFile}. */
class SafeFileTest {

  @TempDir Path directory;

  /** Outside of the root: what a write must never reach. */
  private Path outside;

  private HostRoot root;

  @BeforeEach
  void makeRoot() throws IOException {
    outside = Files.createDirectory(directory.resolve("outside"));
    root = new HostRoot(Files.createDirectory(directory.resolve("root")));
    Files.createDirectory(root.resolve("/etc"));
  }

  private SafeFile file(String path) {
    return new SafeFile(root, path);
  }

  private static Wanted wanted(String text) {
    return Wanted.file(text, 0644, null);
  }

  private Path on(String path) {
    return root.resolve(path);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  /** A directory that others can write to: to us that is as if it belonged to somebody else. */
  private Path strangersDirectory(String path) throws IOException {
    Path strange = Files.createDirectories(on(path));
    Files.setPosixFilePermissions(strange, PosixFilePermissions.fromString("rwxrwxrwx"));
    return strange;
  }

  private static List<Path> names(Path directory) throws IOException {
    try (var listing = Files.list(directory)) {
      return listing.map(Path::getFileName).sorted().toList();
    }
  }

  @Test
  void write_newFile() throws Exception {
    assertThat(file("/etc/a").write(wanted("text"))).isTrue();

    assertThat(on("/etc/a")).hasContent("text");
    assertThat(mode(on("/etc/a"))).isEqualTo("rw-r--r--");
    assertThat(names(on("/etc"))).containsExactly(Path.of("a"));
  }

  @Test
  void write_makesMissingDirectories() throws Exception {
    file("/run/tpu-bootd/deep/a").write(wanted("text"));

    assertThat(on("/run/tpu-bootd/deep/a")).hasContent("text");
    assertThat(mode(on("/run/tpu-bootd/deep"))).isEqualTo("rwxr-xr-x");
  }

  @Test
  void write_equal_isNotTouched() throws Exception {
    file("/etc/a").write(wanted("text"));
    Files.setLastModifiedTime(on("/etc/a"), FileTime.from(Instant.EPOCH));
    Object inode = Files.getAttribute(on("/etc/a"), "unix:ino");
    Object changed = Files.getAttribute(on("/etc/a"), "unix:ctime");
    Object directoryChanged = Files.getAttribute(on("/etc"), "unix:ctime");

    assertThat(file("/etc/a").write(wanted("text"))).isFalse();

    assertThat(Files.getLastModifiedTime(on("/etc/a"))).isEqualTo(FileTime.from(Instant.EPOCH));
    assertThat(Files.getAttribute(on("/etc/a"), "unix:ino")).isEqualTo(inode);
    assertThat(Files.getAttribute(on("/etc/a"), "unix:ctime")).isEqualTo(changed);
    assertThat(Files.getAttribute(on("/etc"), "unix:ctime")).isEqualTo(directoryChanged);
  }

  @Test
  void write_onlyModeDiffers() throws Exception {
    file("/etc/a").write(Wanted.file("text", 0600, null));

    assertThat(file("/etc/a").difference(wanted("text"))).contains("its mode is 0600");
    assertThat(file("/etc/a").write(wanted("text"))).isTrue();
    assertThat(mode(on("/etc/a"))).isEqualTo("rw-r--r--");
    assertThat(file("/etc/a").difference(wanted("text"))).isEmpty();
  }

  @Test
  void write_modeIsExact_whateverTheUmask() throws Exception {
    file("/etc/a").write(Wanted.file("text", 0666, null));

    assertThat(mode(on("/etc/a"))).isEqualTo("rw-rw-rw-");
  }

  @Test
  void write_setsOwner() throws Exception {
    assumeTrue(Owner.thisProcessIsRoot(), "only root can give files away");
    var toOther = Wanted.file("text", 0644, new Owner(2000, 2001));

    file("/etc/a").write(wanted("text"));
    assertThat(file("/etc/a").difference(toOther).orElseThrow()).isEqualTo("it belongs to 0:0");
    file("/etc/a").write(toOther);

    assertThat(Files.getAttribute(on("/etc/a"), "unix:uid")).isEqualTo(2000);
    assertThat(Files.getAttribute(on("/etc/a"), "unix:gid")).isEqualTo(2001);
    assertThat(file("/etc/a").difference(toOther)).isEmpty();
  }

  @Test
  void write_ownerOfAnother_isNoErrorWithoutRoot() throws Exception {
    assumeTrue(!Owner.thisProcessIsRoot(), "this process is root");
    var toOther = Wanted.file("text", 0644, new Owner(2000, 2000));

    assertThat(file("/etc/a").write(toOther)).isTrue();
    assertThat(file("/etc/a").difference(toOther)).isEmpty();
  }

  @Test
  void write_home_isMadeForItsOwner() throws Exception {
    assumeTrue(Owner.thisProcessIsRoot(), "only root can give files away");
    var owner = new Owner(2000, 2000);

    file("/home/tpu-runtime/tpu-env").inHomeOf(owner).write(Wanted.file("text", 0644, owner));

    assertThat(Files.getAttribute(on("/home/tpu-runtime"), "unix:uid")).isEqualTo(2000);
    assertThat(Files.getAttribute(on("/home"), "unix:uid")).isEqualTo(0);
    assertThat(Files.getAttribute(on("/home/tpu-runtime/tpu-env"), "unix:uid")).isEqualTo(2000);
  }

  @Test
  void write_edited_keepsModeAndOwner() throws Exception {
    Files.writeString(on("/etc/a"), "old");
    Files.setPosixFilePermissions(on("/etc/a"), PosixFilePermissions.fromString("rw-rw----"));
    if (Owner.thisProcessIsRoot()) {
      Files.setAttribute(on("/etc/a"), "unix:uid", 1234);
    }
    Object uid = Files.getAttribute(on("/etc/a"), "unix:uid");

    file("/etc/a").write(Wanted.edited("new".getBytes(UTF_8), "old".getBytes(UTF_8), 0644));

    assertThat(on("/etc/a")).hasContent("new");
    assertThat(mode(on("/etc/a"))).isEqualTo("rw-rw----");
    assertThat(Files.getAttribute(on("/etc/a"), "unix:uid")).isEqualTo(uid);
  }

  @Test
  void write_edited_butChangedMeanwhile_isRefused() throws Exception {
    Files.writeString(on("/etc/a"), "theirs");

    assertThatIOException()
        .isThrownBy(() ->
            file("/etc/a").write(Wanted.edited("new".getBytes(UTF_8), "old".getBytes(UTF_8), 0644)))
        .withMessageContaining("was changed by somebody");
    assertThat(on("/etc/a")).hasContent("theirs");
  }

  @Test
  void difference_changesNothing() throws Exception {
    assertThat(file("/etc/x/a").difference(wanted("text"))).contains("it is missing");
    assertThat(on("/etc/x")).doesNotExist();
    Files.writeString(on("/etc/a"), "other");
    assertThat(file("/etc/a").difference(wanted("text"))).contains("its content differs");
    Files.writeString(on("/etc/a"), "texT");
    assertThat(file("/etc/a").difference(wanted("text"))).contains("its content differs");
    assertThat(names(on("/etc"))).containsExactly(Path.of("a"));
  }

  @Test
  void read_missingAndPresentAndTooLong() throws Exception {
    assertThat(file("/etc/a").read(10)).isEmpty();
    Files.writeString(on("/etc/a"), "0123456789");
    assertThat(file("/etc/a").read(10).orElseThrow()).asString(UTF_8).isEqualTo("0123456789");
    assertThatIOException()
        .isThrownBy(() -> file("/etc/a").read(9))
        .withMessage("/etc/a is longer than 9 bytes");
  }

  @Test
  void write_sweepsWhatACrashLeft_evenWhenEqual() throws Exception {
    file("/etc/a").write(wanted("text"));
    Path leftOver = Files.createDirectory(on("/etc/.tpu-bootd.a.0"));
    Files.setPosixFilePermissions(leftOver, PosixFilePermissions.fromString("rwx------"));
    Files.writeString(leftOver.resolve("content"), "half");

    assertThat(file("/etc/a").difference(wanted("text")))
        .contains("an interrupted write has left something beside it");
    assertThat(file("/etc/a").write(wanted("text"))).isFalse();
    assertThat(names(on("/etc"))).containsExactly(Path.of("a"));
  }

  @Test
  void write_leavesAloneWhatOnlyLooksLikeALeftOver() throws Exception {
    Path open = Files.createDirectory(on("/etc/.tpu-bootd.a.0"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path full = Files.createDirectory(on("/etc/.tpu-bootd.a.1"));
    Files.setPosixFilePermissions(full, PosixFilePermissions.fromString("rwx------"));
    Files.writeString(full.resolve("content"), "kept");
    Files.writeString(full.resolve("other"), "kept");
    Files.writeString(on("/etc/.tpu-bootd.a.2"), "a file");
    Files.createSymbolicLink(on("/etc/.tpu-bootd.a.3"), outside);
    Files.createDirectory(on("/etc/.tpu-bootd.b.4"));
    var before = names(on("/etc"));

    file("/etc/a").write(wanted("text"));

    assertThat(names(on("/etc"))).containsAll(before).hasSize(before.size() + 1);
    assertThat(full.resolve("content")).hasContent("kept");
    assertThat(file("/etc/a").difference(wanted("text"))).isEmpty();
  }

  @Test
  void leftOvers_areLookedForByName_howeverMuchLiesBeside() throws Exception {
    Path home = strangersDirectory("/home/tpu-runtime");
    file("/home/tpu-runtime/tpu-env").write(wanted("text"));
    for (int i = 0; i < 3000; i++) {
      Files.createFile(home.resolve(".tpu-bootd.tpu-env.x" + i));
    }
    try (Place place = Place.find(root, "/home/tpu-runtime/tpu-env").orElseThrow()) {
      Scratch.leftOvers(place); // loads what it needs
      var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();

      assertThat(Scratch.leftOvers(place)).isEmpty();

      // Each name that is listed takes more than 100 bytes.
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(3000 * 100);
    }
  }

  @Test
  void call_thatHangs_isNotJoinedByAnother() throws Exception {
    var file = new SafeFile(root, "/etc/a", Duration.ofMillis(50));
    var comesBack = new CountDownLatch(1);
    assertThatIOException()
        .isThrownBy(() ->
            file.within(
                "writing",
                () -> {
                  awaitWhateverHappens(comesBack);
                  return "";
                }))
        .withMessage("writing /etc/a did not come back within 50 ms");

    assertThatIOException()
        .isThrownBy(() -> file.inHomeOf(Owner.ROOT).exists())
        .withMessage("reading /etc/a was not tried, since writing /etc/a has not come back");

    comesBack.countDown();
    var patient = Awaitility.await().ignoreExceptions();
    patient.until(() -> !file.exists());
  }

  /** As a call that hangs in the kernel, which an interrupt does not reach. */
  private static void awaitWhateverHappens(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException _) {
        // as if it had not come
      }
    }
  }

  @Test
  void write_failed_leavesNothingBeside() throws Exception {
    Path target = Files.createDirectory(on("/etc/a"));

    assertThatIOException()
        .isThrownBy(() -> file("/etc/a").write(wanted("text")))
        .withMessage("/etc/a is a directory, not a file; remove it");
    assertThat(names(on("/etc"))).containsExactly(target.getFileName());
  }

  @Test
  void write_followsLinksOfRootAndOurs() throws Exception {
    Files.createDirectories(on("/usr/etc"));
    Files.createSymbolicLink(on("/etc/absolute"), Path.of("/usr/etc/a"));
    Files.createSymbolicLink(on("/etc/relative"), Path.of("../usr/./etc/b"));
    Files.createSymbolicLink(on("/var"), Path.of("usr"));

    file("/etc/absolute").write(wanted("1"));
    file("/etc/relative").write(wanted("2"));
    file("/var/etc/c").write(wanted("3"));

    assertThat(on("/usr/etc/a")).hasContent("1");
    assertThat(on("/usr/etc/b")).hasContent("2");
    assertThat(on("/usr/etc/c")).hasContent("3");
    assertThat(on("/etc/absolute")).isSymbolicLink();
  }

  @Test
  void write_linksDoNotLeadOutOfTheRoot() throws Exception {
    Files.createSymbolicLink(on("/etc/a"), Path.of("../../../../../../../../etc/a2"));

    file("/etc/a").write(wanted("text"));

    assertThat(on("/etc/a2")).hasContent("text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"loop", "..", "/"})
  void write_linkToNowhere_isRefused(String target) throws Exception {
    Files.createSymbolicLink(on("/etc/loop"), Path.of(target));

    assertThatIOException().isThrownBy(() -> file("/etc/loop").write(wanted("text")));
  }

  @Test
  void write_linkInPlaceOfTheFile_inAStrangersDirectory_isRefused() throws Exception {
    Path home = strangersDirectory("/home/tpu-runtime");
    Path victim = Files.writeString(outside.resolve("victim"), "precious");
    Files.createSymbolicLink(home.resolve("tpu-env"), victim);
    var file = file("/home/tpu-runtime/tpu-env");

    assertThatIOException()
        .isThrownBy(() -> file.write(wanted("text")))
        .withMessageContaining(
            "/home/tpu-runtime/tpu-env is a symbolic link, which is not followed")
        .withMessageContaining("mode 0777");
    assertThatIOException().isThrownBy(() -> file.difference(wanted("text")));
    assertThat(victim).hasContent("precious");
    assertThat(names(home)).containsExactly(Path.of("tpu-env"));
  }

  @Test
  void write_stickyDirectory_isNoExcuse() throws Exception {
    Path tmp = strangersDirectory("/tmp");
    new ProcessBuilder("chmod", "1777", tmp.toString()).start().waitFor();
    Files.createSymbolicLink(tmp.resolve("a"), outside.resolve("victim"));

    assertThatIOException().isThrownBy(() -> file("/tmp/a").write(wanted("text")));
    assertThat(outside.resolve("victim")).doesNotExist();
  }

  @Test
  void write_directoryBelowAStrangers_isNotEntered() throws Exception {
    Path home = strangersDirectory("/home/other");
    Files.createDirectory(home.resolve("sub"));

    assertThatIOException()
        .isThrownBy(() -> file("/home/other/sub/a").write(wanted("text")))
        .withMessageContaining("/home/other/sub is not entered");
    assertThatIOException()
        .isThrownBy(() -> file("/home/other/new/a").write(wanted("text")))
        .withMessageContaining("/home/other/new is missing and is not made");
  }

  @Test
  void write_linkAsTheDirectory_inAStrangersDirectory_isRefused() throws Exception {
    Path home = strangersDirectory("/home");
    Files.createSymbolicLink(home.resolve("tpu-runtime"), outside);

    assertThatIOException()
        .isThrownBy(() -> file("/home/tpu-runtime/tpu-env").write(wanted("text")))
        .withMessageContaining("/home/tpu-runtime is a symbolic link");
    assertThat(names(outside)).isEmpty();
  }

  @Test
  void write_linksInPlaceOfTheTemporary_areGoneAround() throws Exception {
    Path home = strangersDirectory("/home/tpu-runtime");
    for (int i = 0; i < 5; i++) {
      Files.createSymbolicLink(home.resolve(".tpu-bootd.tpu-env." + i), outside);
    }

    file("/home/tpu-runtime/tpu-env").write(wanted("text"));

    assertThat(home.resolve("tpu-env")).hasContent("text");
    assertThat(names(outside)).isEmpty();
    assertThat(names(home)).hasSize(6);
  }

  @Test
  void write_allTemporaryNamesTaken_saysSo() throws Exception {
    Path home = strangersDirectory("/home/tpu-runtime");
    for (int i = 0; i < 16; i++) {
      Files.createSymbolicLink(home.resolve(".tpu-bootd.tpu-env." + i), outside);
    }

    assertThatIOException()
        .isThrownBy(() -> file("/home/tpu-runtime/tpu-env").write(wanted("text")))
        .withMessageContaining("which are not ours; remove them");
  }

  @Test
  void write_pipeInPlaceOfTheFile_isRefusedAndDoesNotHang() throws Exception {
    Path home = strangersDirectory("/home/tpu-runtime");
    new ProcessBuilder("mkfifo", home.resolve("tpu-env").toString()).start().waitFor();

    assertThatIOException()
        .isThrownBy(() -> file("/home/tpu-runtime/tpu-env").write(wanted("text")))
        .withMessage("/home/tpu-runtime/tpu-env is a pipe or a device, not a file; remove it");
    assertThatIOException().isThrownBy(() -> file("/home/tpu-runtime/tpu-env").read(10));
  }

  @Test
  void write_hardLinkInPlaceOfTheFile_isReplacedAndNotWrittenInto() throws Exception {
    Path home = strangersDirectory("/home/tpu-runtime");
    Path victim = Files.writeString(on("/etc/shadow"), "precious");
    Files.createLink(home.resolve("tpu-env"), victim);

    file("/home/tpu-runtime/tpu-env").write(wanted("text"));

    assertThat(victim).hasContent("precious");
    assertThat(home.resolve("tpu-env")).hasContent("text");
  }

  @Test
  void write_directoryOfAnotherUser() throws Exception {
    assumeTrue(Owner.thisProcessIsRoot(), "only root can give files away");
    Path home = Files.createDirectories(on("/home/tpu-runtime"));
    Files.setAttribute(home, "unix:uid", 2000);
    var file = file("/home/tpu-runtime/tpu-env");

    file.write(Wanted.file("text", 0644, new Owner(2000, 2000)));
    assertThat(home.resolve("tpu-env")).hasContent("text");

    Files.delete(home.resolve("tpu-env"));
    Files.createSymbolicLink(home.resolve("tpu-env"), outside.resolve("victim"));
    assertThatIOException().isThrownBy(() -> file.write(wanted("text")));
    assertThat(Files.exists(outside.resolve("victim"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  /** The owner of the directory at work while we are: none of it may lead outside. */
  @Test
  void write_whileTheDirectorysOwnerSwapsWhatHeCan() throws Exception {
    Path home = strangersDirectory("/home/tpu-runtime");
    Path victim = Files.writeString(outside.resolve("victim"), "precious");
    Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rw-------"));
    Path victims = Files.createDirectory(outside.resolve("victims"));
    var stop = new AtomicBoolean();
    var atWork = new CountDownLatch(1);
    var attacker =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; !stop.get(); i++) {
                attack(home, i, victim, victims);
                atWork.countDown();
              }
            });
    atWork.await();

    for (int i = 0; i < 500; i++) {
      try {
        file("/home/tpu-runtime/tpu-env").write(Wanted.file("text " + i, 0666, null));
      } catch (IOException _) {
        // Refused, or undone by the attacker: both are his own loss. Where he is quick it is all.
      }
    }
    stop.set(true);
    attacker.join();
    Files.deleteIfExists(home.resolve("tpu-env"));
    file("/home/tpu-runtime/tpu-env").write(Wanted.file("text at last", 0666, null));

    assertThat(home.resolve("tpu-env")).hasContent("text at last");
    assertThat(victim).hasContent("precious");
    assertThat(mode(victim)).isEqualTo("rw-------");
    assertThat(names(victims)).isEmpty();
  }

  private static void attack(Path home, int round, Path victim, Path victims) {
    try {
      for (Path name : names(home)) {
        if (name.toString().startsWith(".tpu-bootd.")) {
          Files.move(home.resolve(name), home.resolve("taken" + round));
          Files.createSymbolicLink(home.resolve(name), victims);
          Files.delete(home.resolve(name));
        } else if (name.toString().startsWith("taken")) {
          Files.deleteIfExists(home.resolve(name).resolve("content"));
          Files.deleteIfExists(home.resolve(name));
        }
      }
      Path target = home.resolve("tpu-env");
      Files.deleteIfExists(target);
      if (round % 3 == 0) {
        Files.createSymbolicLink(target, victim);
      } else if (round % 3 == 1) {
        Files.createLink(target, victim);
      }
    } catch (IOException _) {
      // Too late or too early: the next round comes at once.
    }
  }
}
