package org.tpubootd.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.core.Finding;

/** What people read of one container. */
final class Wording {

  private final ContainerConfig config;
  private final History history;
  private final Restarts restarts;
  private final Facts facts;
  private final String name;

  Wording(ContainerConfig config, History history) {
    this.config = config;
    this.history = history;
    this.restarts = history.restarts;
    this.facts = new Facts(history);
    this.name = ContainerSpec.nameOf(config.name());
  }

  Finding switchedOff() {
    return Finding.inert("switched off", config.key() + ".enabled is false in the configuration");
  }

  Finding foreign(Holdings.Other other) {
    return Finding.inert(
        "somebody else's container is called " + other.name(),
        "the container "
            + Observed.shortId(other.id())
            + " has this name and no label of tpu-bootd, so it is not touched;"
            + " docker rm or docker rename it if tpu-bootd is to run its own");
  }

  Finding rival(Holdings.Other rival) {
    return Finding.inert(
        "somebody else runs this agent",
        "the container %s runs and has no label of tpu-bootd, so it is not touched; stop it if"
                .formatted(rival.name())
            + " tpu-bootd is to run the agent");
  }

  Finding imageNotKnown(Optional<Observed> runs) {
    String cause =
        "%s.image-from-tpu-env is true, and tpu-env is not known yet".formatted(config.key());
    return runs.isPresent()
        ? Finding.ok(
            "runs since %s; whether its image is the one wanted is not known yet"
                .formatted(Times.wholeSeconds(runs.get().startedAt())))
        : Finding.waiting("waits for tpu-env to name the image", cause, null);
  }

  Finding notReady(Finding now, String whyNot, boolean starting) {
    Finding notReady =
        starting
            ? Finding.waiting("runs and is not ready yet", whyNot, null)
            : Finding.degraded(
                "runs, but is not ready",
                whyNot,
                "see docker logs %s, and whether %s.ready is right".formatted(name, config.key()));
    return notReady.withNotes(now.notes()).withFacts(now.facts());
  }

  Finding impossible(ContainerSpec.Impossible e, boolean runs) {
    String cause = String.valueOf(e.getMessage());
    return runs
        ? Finding.degraded("runs, but could not be made again", cause, e.action)
        : Finding.failed("cannot be made", cause, e.action);
  }

  /** What is so before anything is done. */
  Finding now(Decision decision, ContainerSpec spec, boolean imageThere) {
    return switch (decision) {
      case Decision.Keep(Observed good, List<Observed> _) ->
          alive(good).withFacts(facts.of(good, spec));
      case Decision.OnTrial(Observed next, Observed old, List<Observed> _) ->
          (next.alive() ? onTrial(next, old) : stopped(next)).withFacts(facts.of(next, spec));
      case Decision.Restore(Observed next, Observed old, List<Observed> _) ->
          Finding.degraded(
                  "the new one has ended, " + old.name() + " is started again",
                  restarts.lastEnd(),
                  "see the container's last log lines in /status")
              .withFacts(facts.of(next, spec));
      case Decision.Start(Observed stopped, List<Observed> _) ->
          stopped(stopped).withFacts(facts.of(stopped, spec));
      case Decision.Replace(Observed old, Optional<Observed> _, List<Observed> _)
          when old.status() == Observed.Status.PAUSED ->
          Finding.degraded(
                  "is paused, with an old specification",
                  "somebody has paused it, and the configuration asks for another one by now",
                  "docker unpause " + old.name() + "; then it is replaced")
              .withFacts(facts.of(old, spec));
      case Decision.Replace(Observed old, Optional<Observed> _, List<Observed> _) ->
          Finding.degraded(
                  "runs with an old specification",
                  restarts.lastError().orElse("the configuration asks for another one by now"),
                  Trouble.advice(
                      restarts.lastError().orElse(""),
                      "nothing if it is replaced within a minute; else see the cause"))
              .withFacts(facts.of(old, spec));
      case Decision.Wait(Observed leaving, List<Observed> _) ->
          Finding.waiting(
              "waiting for the engine to remove " + leaving.name(),
              "somebody removes the container " + leaving.shortId(),
              null);
      case Decision.Make _ -> missing(spec, imageThere).withFacts(facts.ofEnds());
    };
  }

  private static Finding onTrial(Observed next, Observed old) {
    return Finding.ok(
        "runs since %s; its predecessor %s is kept until it has run for %d s"
            .formatted(
                Times.wholeSeconds(next.startedAt()), old.shortId(), Trial.LENGTH.toSeconds()));
  }

  private Finding alive(Observed good) {
    Optional<Trial.Failed> failed = history.trial.failed();
    if (failed.isPresent()) {
      return Finding.degraded(
          "runs with its old specification, since the new one has failed",
          failed.get().why(),
          Trouble.advice(failed.get().why(), "change " + config.key())
              + ", or have it tried again: systemctl reload tpu-bootd");
    }
    return switch (good.status()) {
      case PAUSED ->
          Finding.degraded("is paused", "somebody has paused it", "docker unpause " + good.name());
      case RESTARTING ->
          Finding.degraded(
              "is being restarted by the engine",
              "somebody gave it a restart policy, and two restarters are one too many",
              "docker update --restart=no " + good.name());
      default ->
          restarts.isLoop()
              ? Finding.degraded(
                  "runs again after ending " + restarts.inARow() + " times in a row",
                  restarts.lastEnd(),
                  "see the container's last log lines in /status or by docker logs " + name)
              : Finding.ok("runs since " + Times.wholeSeconds(good.startedAt()));
    };
  }

  private Finding stopped(Observed stopped) {
    if (restarts.inARow() == 0) {
      return Finding.waiting(
          "is stopped",
          stopped.status() == Observed.Status.CREATED
              ? "it was made and not started yet"
              : "it was stopped before tpu-bootd began, with exit code " + stopped.exitCode(),
          null);
    }
    return ended("see the container's last log lines in /status or by docker logs " + name);
  }

  private Finding missing(ContainerSpec spec, boolean imageThere) {
    if (restarts.lastError().isPresent()) {
      return ended("see the cause and the keys under " + config.key());
    }
    return imageThere
        ? Finding.waiting(
            "there is no container", "it was not made yet, or somebody has removed it", null)
        : Finding.waiting(
            "there is no image yet", "the image " + spec.image() + " is not on this host", null);
  }

  private Finding ended(String ifByItself) {
    String action = Trouble.advice(restarts.lastError().orElse(""), ifByItself);
    // Not what remains of the wait: each pass would tell a change. That is in the facts.
    String when =
        restarts.untilDue().isPositive()
            ? "after a wait of " + Times.wholeSeconds(restarts.lastWait()) + " s"
            : "now";
    return restarts.isLoop()
        ? Finding.failed(
            "crash loop: ended " + restarts.inARow() + " times in a row, starts again " + when,
            restarts.lastEnd(),
            action)
        : Finding.degraded("ended, starts again " + when, restarts.lastEnd(), action);
  }

  /** What a person should know of containers that are not ours. */
  List<String> notes(Holdings holdings) {
    var notes = new ArrayList<String>();
    holdings
        .foreigners()
        .forEach(other ->
            notes.add(
                "somebody else's container %s is called %s: until it is removed or renamed, the one that runs cannot be replaced"
                    .formatted(Observed.shortId(other.id()), other.name())));
    holdings
        .lookalikes()
        .forEach(other ->
            notes.add(
                "the container %s has the labels of tpu-bootd and not the name %s: it is not touched"
                    .formatted(other.name(), name)));
    return notes;
  }

  /** What a person should know although it does not change the state. */
  List<String> notes(Decision decision, Images images) {
    var notes = new ArrayList<>(images.archiveProblems());
    images
        .failure()
        .ifPresent(failure -> notes.add("what is on this host is used: " + failure.getMessage()));
    if (decision instanceof Decision.Keep && restarts.inARow() > 0 && !restarts.isLoop()) {
      notes.add("ended lately: " + restarts.lastEnd());
    }
    return notes;
  }

  /**
   * @param text what is done: {@code pulling IMAGE: 3 of 7 layers}
   */
  Finding fetching(Decision decision, String text) {
    return decision instanceof Decision.Replace
        ? Finding.degraded(
            "runs with an old specification, " + text,
            "the new image is not on this host yet",
            "nothing: it is replaced when the image is there")
        : Finding.waiting(text, "the image is not on this host, or is to be looked for anew", null);
  }

  Finding notPulled(PullFailure failure, boolean runs) {
    return runs
        ? Finding.degraded(
            "runs with an old specification",
            String.valueOf(failure.getMessage()),
            failure.kind.action)
        : Finding.failed(failure.summary, failure.reason, failure.kind.action);
  }

  Finding neverPulled(ContainerSpec spec, boolean runs) {
    String cause =
        "the image %s is not on this host, and %s.pull is never"
            .formatted(spec.image(), config.key());
    String action = "put an archive of it into /var/lib/tpu-bootd/images, or set pull to missing";
    return runs
        ? Finding.degraded("runs with an old specification", cause, action)
        : Finding.failed("there is no image", cause, action);
  }
}
