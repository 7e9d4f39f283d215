package org.tpubootd.tests.vm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;

/**
 * A QEMU whose device {@code edu} is a v5p chip by its ids: QEMU has no option for them, so a copy
 * of the installed program is edited. Made for the tests of one build, and never shipped.
 */
final class TpuQemu {

  private static final HexFormat HEX = HexFormat.of();

  /** In machine code of QEMU: device and vendor id of edu, little-endian; 0x1ae0:0x0062. */
  private static final Patch IDS = new Patch("the ids of edu", "3412e811", "e01a6200");

  /** Likewise the default of subsystem vendor and device: 0x1ae0:0x00ad. */
  private static final Patch SUBSYSTEM =
      new Patch("the default subsystem", "bff41a000041b800110000", "bfe01a000041b8ad000000");

  private TpuQemu() {}

  private record Patch(String what, String from, String to) {

    void apply(byte[] program, Path of) {
      byte[] pattern = HEX.parseHex(from);
      int at = find(program, pattern, 0);
      if (at < 0 || find(program, pattern, at + 1) >= 0) {
        throw new IllegalStateException(
            "%s (%s) must be in %s exactly once to make a TPU of it: this is another build of QEMU"
                .formatted(what, from, of));
      }
      System.arraycopy(HEX.parseHex(to), 0, program, at, pattern.length);
    }

    private static int find(byte[] program, byte[] pattern, int from) {
      for (int at = from; at <= program.length - pattern.length; at++) {
        if (Arrays.equals(program, at, at + pattern.length, pattern, 0, pattern.length)) {
          return at;
        }
      }
      return -1;
    }
  }

  /** Writes the edited copy. */
  static Path copyTo(Path file) throws IOException {
    Path installed = Path.of("/usr/bin/qemu-system-x86_64");
    byte[] program = Files.readAllBytes(installed);
    IDS.apply(program, installed);
    SUBSYSTEM.apply(program, installed);
    Files.write(file, program);
    Files.setPosixFilePermissions(
        file,
        Set.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE));
    return file;
  }
}
