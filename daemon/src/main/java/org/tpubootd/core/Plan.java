package org.tpubootd.core;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a component saw, what it would change, and how. {@code tpu-bootd plan} shows the first two
 * and stops there; a pass goes on and carries it out.
 *
 * @param now what is so before anything is changed
 * @param steps the changes, in order; empty when there is nothing to do or nothing can be done
 */
public record Plan(Finding now, List<Step> steps, Work work) {

  public Plan {
    steps = List.copyOf(steps);
  }

  /** Makes the changes and looks again. */
  @FunctionalInterface
  public interface Work {
    /**
     * @param progress takes what is so for the moment, during work that takes long
     * @return what is so now, seen anew after the changes
     * @throws IOException where a change failed; the message says what was tried, on what, and what
     *     came back
     */
    Finding carryOut(Consumer<Finding> progress) throws IOException, InterruptedException;
  }

  /** A plan of a component that has nothing to change, or cannot. */
  public static Plan nothingToDo(Finding now) {
    return new Plan(now, List.of(), _ -> now);
  }

  /** Makes the changes, if there are any. */
  public Finding carryOut(Consumer<Finding> progress) throws IOException, InterruptedException {
    return work.carryOut(progress);
  }
}
