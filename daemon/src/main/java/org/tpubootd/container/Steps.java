package org.tpubootd.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tpubootd.core.Step;

/** The steps of a plan, as people read them. */
final class Steps {

  private Steps() {}

  static List<Step> of(Decision decision, ContainerSpec spec, Images.Fetch fetch) {
    List<Step> removals = toRemove(decision.others(), "it is one too many");
    boolean runs = decision instanceof Decision.Keep || decision instanceof Decision.Replace;
    var steps = new ArrayList<Step>(runs ? removals : List.of());
    steps.addAll(toFetch(spec, fetch));
    switch (decision) {
      case Decision.Keep(Observed good, List<Observed> _) -> {
        if (good.isNext()) {
          steps.add(
              new Step("rename " + good.name() + " to " + spec.name(), "its old one is gone"));
        }
      }
      case Decision.Start(Observed stopped, List<Observed> _) ->
          steps.add(new Step("start " + stopped.name(), "it is stopped"));
      case Decision.Make _ ->
          steps.add(new Step("create and start " + spec.name(), "there is no container"));
      case Decision.Replace(Observed old, Optional<Observed> _, List<Observed> _) ->
          steps.add(
              new Step(
                  "replace " + old.name() + " (" + old.shortId() + ") by a new one",
                  "its specification has changed"));
      case Decision.OnTrial(Observed next, Observed _, List<Observed> _) ->
          steps.add(new Step("start " + next.name(), "its replacement was cut off"));
      case Decision.Restore(Observed failed, Observed old, List<Observed> _) ->
          steps.add(
              new Step(
                  "start " + old.name() + " (" + old.shortId() + ") and remove " + failed.name(),
                  "the new one has ended on its trial"));
      case Decision.Wait _ -> {}
    }
    if (!runs) {
      steps.addAll(removals);
    }
    return steps;
  }

  static List<Step> toFetch(ContainerSpec spec, Images.Fetch fetch) {
    var steps = new ArrayList<Step>();
    fetch
        .archive()
        .ifPresent(archive ->
            steps.add(
                new Step(
                    "load " + spec.image() + " out of " + archive.path(),
                    "the engine has no such image")));
    if (fetch.pull()) {
      steps.add(
          new Step("pull " + spec.image(), "it is not on this host, or is to be looked for anew"));
    }
    return steps;
  }

  static List<Step> toRemove(List<Observed> containers, String why) {
    return containers.stream()
        .map(container ->
            new Step("remove " + container.name() + " (" + container.shortId() + ")", why))
        .toList();
  }
}
