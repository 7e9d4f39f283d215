package org.tpubootd.image;

import java.io.IOException;
import java.util.List;
import org.tpubootd.core.Plan;
import org.tpubootd.env.EnvironmentFile;

/** What the daemon will make of /etc/environment, and which lines of a person's it will keep. */
final class Environment implements Check {

  private final EnvironmentFile part;

  Environment(EnvironmentFile part) {
    this.part = part;
  }

  @Override
  public String name() {
    return "environment";
  }

  @Override
  public List<Result> look() throws IOException, InterruptedException {
    Plan plan = part.plan();
    if (plan.steps().isEmpty()) {
      return List.of(Result.of(name(), plan.now(), part.part().required(), false));
    }
    return List.of(
        Result.ok(name(), "our variables are written at the first boot")
            .withNotes(plan.now().notes()));
  }
}
