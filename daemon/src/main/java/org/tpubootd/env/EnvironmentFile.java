package org.tpubootd.env;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tpubootd.config.FilesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;

/**
 * The part {@code environment}: our variables in {@code /etc/environment}, which pam_env gives to
 * every log-in. What people have set there by hand goes before ours.
 */
public final class EnvironmentFile implements Component {

  static final String PATH = "/etc/environment";
  private static final int LONGEST = 1 << 20;

  private final SafeFile file;
  private final FilesConfig config;

  public EnvironmentFile(HostRoot root, FilesConfig config) {
    this.file = new SafeFile(root, PATH);
    this.config = config;
  }

  @Override
  public Part part() {
    return new Part("environment", Part.Group.HOST, true);
  }

  @Override
  public Plan plan() throws IOException, InterruptedException {
    byte[] old = file.read(LONGEST).orElse(new byte[0]);
    EnvironmentText text;
    try {
      text = EnvironmentText.read(old);
    } catch (EnvironmentText.DamagedException e) {
      return Plan.nothingToDo(
          Finding.failed(
              PATH + " is left as it is",
              String.valueOf(e.getMessage()),
              "remove what is left of the block from the file; it is then written anew"));
    }
    var lines = new ArrayList<String>();
    var notes = new ArrayList<String>();
    var theirs = new ArrayList<String>();
    config
        .environment()
        .forEach((key, value) -> {
          var byHand = text.byHand().get(key);
          var refusal = PamLine.refusal(key, value);
          if (byHand != null) {
            theirs.add(key);
            notes.add(key + " is set by hand in " + PATH + ", " + where(byHand) + "; it is kept");
          } else if (refusal.isPresent()) {
            notes.add(key + " is not set in " + PATH + ": " + refusal.get());
          } else {
            lines.add(PamLine.of(key, value));
          }
        });
    if (text.joined() > 0 && !lines.isEmpty()) {
      notes.add(
          "%s, line %d ends with a backslash: pam_env takes our first variable for its end"
              .formatted(PATH, text.joined()));
    }
    var right =
        Finding.ok(
                summary(
                    lines.size(),
                    theirs.size(),
                    config.environment().size() - lines.size() - theirs.size()))
            .withNotes(notes)
            .withFacts(Map.of("file", PATH, "lines", List.copyOf(lines)));
    byte[] wanted = text.with(lines);
    if (wanted.length == 0 && old.length == 0) {
      return Plan.nothingToDo(right);
    }
    return Upkeep.plan(List.of(new Upkeep.Target(file, Wanted.edited(wanted, old, 0644))), right);
  }

  private static String where(List<Integer> lines) {
    String first = "line " + lines.getFirst();
    return lines.size() == 1 ? first : first + " and " + (lines.size() - 1) + " more";
  }

  private static String summary(int kept, int byHand, int leftOut) {
    return PATH
        + " sets "
        + (kept == 1 ? "1 variable" : kept + " variables")
        + (byHand == 0 ? "" : "; " + byHand + (byHand == 1 ? " is" : " are") + " set by hand")
        + (leftOut == 0 ? "" : "; " + leftOut + (leftOut == 1 ? " is" : " are") + " left out");
  }
}
