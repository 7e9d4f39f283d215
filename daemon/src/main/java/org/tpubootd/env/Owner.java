package org.tpubootd.env;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.Optional;
import org.tpubootd.config.HostRoot;

/** Whom a file belongs to, in numbers: a name may mean another user under another root. */
public record Owner(int uid, int gid) {

  static final Owner ROOT = new Owner(0, 0);

  /**
   * The user and that user's own group, as the host's {@code /etc/passwd} has them; empty where it
   * does not. Not asked of the name service: that knows the running machine's users, not those of
   * an image in a chroot, and can hang at boot.
   */
  public static Optional<Owner> find(HostRoot root, String user) throws IOException {
    Path passwd = root.resolve("/etc/passwd");
    if (!Files.exists(passwd)) {
      return Optional.empty();
    }
    // Comments may be in any encoding; the fields that count are ASCII.
    for (String line : Files.readAllLines(passwd, StandardCharsets.ISO_8859_1)) {
      String[] fields = line.split(":", -1);
      if (fields.length >= 4 && fields[0].equals(user)) {
        try {
          return Optional.of(new Owner(Integer.parseInt(fields[2]), Integer.parseInt(fields[3])));
        } catch (NumberFormatException e) {
          throw new IOException("/etc/passwd: the entry of " + user + " has no numbers for ids", e);
        }
      }
    }
    return Optional.empty();
  }

  /** The same, or root where there is no such user. */
  static Owner findOrRoot(HostRoot root, String user) throws IOException {
    return find(root, user).orElse(ROOT);
  }

  /** For setting only. What a file has is compared by number: a principal's name is looked up. */
  UserPrincipal user() throws IOException {
    return lookup().lookupPrincipalByName(unknownToAnyNameService(uid));
  }

  GroupPrincipal group() throws IOException {
    return lookup().lookupPrincipalByGroupName(unknownToAnyNameService(gid));
  }

  /**
   * The JDK wants a principal to set an owner in an open directory, gives one out by name only, and
   * asks the name service for the name before it reads it as a number: for "2000" that may ask a
   * server, which may be away. Nobody asks a server for a name longer than LOGIN_NAME_MAX (256),
   * and a number stays the same with zeros before it.
   */
  private static String unknownToAnyNameService(int id) {
    return "%0300d".formatted(id);
  }

  /** The user that this process acts as; root where there is no /proc to tell (a bare chroot). */
  static int uidOfThisProcess() throws IOException {
    Path self = Path.of("/proc/self");
    return Files.exists(self) ? (Integer) Files.getAttribute(self, "unix:uid") : ROOT.uid();
  }

  static boolean thisProcessIsRoot() throws IOException {
    return uidOfThisProcess() == ROOT.uid();
  }

  private static UserPrincipalLookupService lookup() {
    return FileSystems.getDefault().getUserPrincipalLookupService();
  }

  @Override
  public String toString() {
    return uid + ":" + gid;
  }
}
