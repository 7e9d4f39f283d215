package org.tpubootd.image;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The user that owns what TPU software reads. */
final class RuntimeUser implements Check {

  /** Google's images and containers have this number for tpu-runtime. */
  private static final String USUAL_NAME = "tpu-runtime";

  private static final String USUAL_NUMBER = "2000";
  private static final String HOME = "/home/tpu-runtime";
  private static final String MADE_AT_BOOT = "/usr/lib/sysusers.d/tpu-bootd.conf";

  private final Tree tree;
  private final String user;

  /**
   * @param user as files.owner has it
   */
  RuntimeUser(Tree tree, String user) {
    this.tree = tree;
    this.user = user;
  }

  @Override
  public String name() {
    return "user";
  }

  @Override
  public List<Result> look() throws IOException {
    return List.of(user());
  }

  private Result user() throws IOException {
    Optional<String[]> account =
        tree.lines("/etc/passwd").stream()
            .map(line -> line.split(":", -1))
            .filter(columns -> columns.length >= 7 && columns[0].equals(user))
            .findFirst();
    if (account.isEmpty()) {
      boolean made = user.equals(USUAL_NAME) && tree.exists(MADE_AT_BOOT);
      return Result.warning(
          name(),
          "there is no user %s: tpu-env and workload.env would be root's".formatted(user),
          made
              ? "install the package again, or let systemd-sysusers make it at boot"
              : "make it, or set files.owner to another");
    }
    String uid = account.get()[2];
    String gid = account.get()[3];
    if (user.equals(USUAL_NAME) && !(uid.equals(USUAL_NUMBER) && gid.equals(USUAL_NUMBER))) {
      return Result.warning(
          name(),
          "%s is %s:%s, not 2000:2000 as in Google's images".formatted(user, uid, gid),
          "give it 2000:2000 if containers of Google's are to write below " + HOME);
    }
    if (!tree.isListed(HOME)) {
      return Result.ok(name(), "%s is %s:%s".formatted(user, uid, gid))
          .withNotes(List.of(HOME + " is missing; it is made at boot"));
    }
    String owner = String.valueOf(tree.uid(HOME));
    if (user.equals(USUAL_NAME) && !owner.equals(uid)) {
      return Result.warning(
          name(),
          "%s belongs to the user %s, not to %s".formatted(HOME, owner, user),
          "chown %s: %s".formatted(user, HOME));
    }
    return Result.ok(name(), "%s is %s:%s".formatted(user, uid, gid));
  }
}
