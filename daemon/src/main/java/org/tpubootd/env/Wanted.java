package org.tpubootd.env;

import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a file should be: its bytes, its permission bits and whom it belongs to. */
public final class Wanted {

  /** The permission bits from the highest, 0400, to the lowest, 0001. */
  private static final PosixFilePermission[] BITS = {
    PosixFilePermission.OWNER_READ,
    PosixFilePermission.OWNER_WRITE,
    PosixFilePermission.OWNER_EXECUTE,
    PosixFilePermission.GROUP_READ,
    PosixFilePermission.GROUP_WRITE,
    PosixFilePermission.GROUP_EXECUTE,
    PosixFilePermission.OTHERS_READ,
    PosixFilePermission.OTHERS_WRITE,
    PosixFilePermission.OTHERS_EXECUTE
  };

  private final byte[] bytes;
  private final int mode;
  private final @Nullable Owner owner;
  private final byte @Nullable [] basis;

  private Wanted(byte[] bytes, int mode, @Nullable Owner owner, byte @Nullable [] basis) {
    this.bytes = bytes;
    this.mode = mode;
    this.owner = owner;
    this.basis = basis;
  }

  /**
   * @param mode permission bits, such as 0644
   * @param owner null for whoever writes the file
   */
  public static Wanted file(byte[] bytes, int mode, @Nullable Owner owner) {
    return new Wanted(bytes.clone(), mode, owner, null);
  }

  /** The same with text in UTF-8. */
  public static Wanted file(String text, int mode, @Nullable Owner owner) {
    return file(text.getBytes(StandardCharsets.UTF_8), mode, owner);
  }

  /**
   * A file that others write too: it keeps the mode and the owner that it has, and is not written
   * where somebody has changed it meanwhile.
   *
   * @param basis what was in it when {@code bytes} was made of that; nothing where it was missing
   * @param modeIfNew its mode where there is no such file yet
   */
  public static Wanted edited(byte[] bytes, byte[] basis, int modeIfNew) {
    return new Wanted(bytes.clone(), modeIfNew, null, basis.clone());
  }

  byte[] bytes() {
    return bytes.clone();
  }

  int size() {
    return bytes.length;
  }

  Set<PosixFilePermission> permissions() {
    var permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < BITS.length; i++) {
      if ((mode & (0400 >> i)) != 0) {
        permissions.add(BITS[i]);
      }
    }
    return permissions;
  }

  Optional<Owner> owner() {
    return Optional.ofNullable(owner);
  }

  boolean keepsAccess() {
    return basis != null;
  }

  /** What must be in the file still for it to be written; empty where that does not matter. */
  Optional<byte[]> basis() {
    return Optional.ofNullable(basis).map(byte[]::clone);
  }

  /** As people write it: {@code 0644}. */
  static String octal(Set<PosixFilePermission> permissions) {
    int mode = 0;
    for (int i = 0; i < BITS.length; i++) {
      if (permissions.contains(BITS[i])) {
        mode |= 0400 >> i;
      }
    }
    return "%04o".formatted(mode);
  }
}
