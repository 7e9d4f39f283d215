package org.tpubootd.container;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tpubootd.config.ContainersConfig.ContainerConfig;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Step;

/** What people read of one container: findings, and the steps of a plan. */
final class Wording {

  private final ContainerConfig config;
  private final Restarts restarts;
  private final String name;

  Wording(ContainerConfig config, Restarts restarts) {
    this.config = config;
    this.restarts = restarts;
    this.name = ContainerSpec.nameOf(config.name());
  }

  Finding switchedOff() {
    return Finding.inert(
        "switched off", "containers." + config.name() + ".enabled is false in the configuration");
  }

  Finding foreign(Holdings.Other other) {
    return Finding.inert(
        "somebody else's container is called " + other.name(),
        "the container "
            + Observed.shortId(other.id())
            + " has this name and no label of tpu-bootd, so it is not touched;"
            + " docker rm or docker rename it if tpu-bootd is to run its own");
  }

  Finding impossible(ContainerSpec.Impossible e, boolean runs) {
    String cause = String.valueOf(e.getMessage());
    return runs
        ? Finding.degraded("runs, but could not be made again", cause, e.action)
        : Finding.failed("cannot be made", cause, e.action);
  }

  /** What a call to the engine that failed means for the container. */
  Finding trouble(EngineException e) {
    String cause = String.valueOf(e.getMessage());
    return switch (e) {
      case EngineException.Unreachable _ ->
          Finding.waiting(
              "waiting for the engine",
              cause,
              "start the engine if it does not come by itself: systemctl start docker");
      case EngineException.Hung _ ->
          Finding.waiting(
              "waiting for the engine, which hangs",
              cause,
              "see journalctl -u docker; systemctl restart docker if it stays so");
      case EngineException.NotFound _ ->
          Finding.waiting("something changed meanwhile, looking again", cause, null);
      case EngineException.Conflict _ ->
          Finding.waiting("something changed meanwhile, looking again", cause, null);
      case EngineException.Refused _ ->
          Finding.failed("the engine refused", cause, "see the cause; it is tried again");
      case EngineException.Unexpected _ ->
          Finding.failed(
              "a call to the engine broke on a defect",
              cause,
              "report it with the stack trace from the log; it is tried again");
      case EngineException.Unsupported _ ->
          Finding.failed(
              "the engine's address is not supported",
              cause,
              "set containers.engine, or DOCKER_HOST, to unix:///path/to/socket");
    };
  }

  /** What is so before anything is done. */
  Finding now(Decision decision, ContainerSpec spec, boolean imageThere, List<String> lastLog) {
    return switch (decision) {
      case Decision.Keep(Observed good, List<Observed> _) ->
          alive(good).withFacts(facts(good, spec, lastLog));
      case Decision.Start(Observed stopped, List<Observed> _) ->
          stopped(stopped).withFacts(facts(stopped, spec, lastLog));
      case Decision.Replace(Observed old, Optional<Observed> _, List<Observed> _) ->
          Finding.degraded(
                  "runs with an old specification",
                  restarts.lastError().orElse("the configuration asks for another one by now"),
                  "nothing if it is replaced within a minute; else see the cause")
              .withFacts(facts(old, spec, lastLog));
      case Decision.Wait(Observed leaving, List<Observed> _) ->
          Finding.waiting(
              "waiting for the engine to remove " + leaving.name(),
              "somebody removes the container " + leaving.shortId(),
              null);
      case Decision.Make _ -> missing(spec, imageThere);
    };
  }

  /** The new one has failed to start too often. */
  Finding givenUp(Finding now) {
    return Finding.degraded(
            now.summary(),
            now.causeIfAny().orElse("the new one cannot be started"),
            "mend the keys under containers."
                + config.name()
                + " and reload tpu-bootd; the same is tried again when tpu-bootd is restarted")
        .withNotes(now.notes())
        .withFacts(now.facts());
  }

  private Finding alive(Observed good) {
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
                  lastEnd(),
                  "see the container's last log lines in /status or by docker logs " + name)
              : Finding.ok("runs since " + wholeSeconds(good.startedAt()));
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
      return ended("see the cause and the keys under containers." + config.name());
    }
    return imageThere
        ? Finding.waiting(
            "there is no container", "it was not made yet, or somebody has removed it", null)
        : Finding.waiting(
            "there is no image yet", "the image " + spec.image() + " is not on this host", null);
  }

  private Finding ended(String action) {
    // Not what remains of the wait: each pass would tell a change. That is in the facts.
    String when =
        restarts.untilDue().isPositive()
            ? "after a wait of " + wholeSeconds(restarts.lastWait()) + " s"
            : "now";
    return restarts.isLoop()
        ? Finding.failed(
            "crash loop: ended " + restarts.inARow() + " times in a row, starts again " + when,
            lastEnd(),
            action)
        : Finding.degraded("ended, starts again " + when, lastEnd(), action);
  }

  /** Rounded up: what is not over is not nothing. */
  private static long wholeSeconds(Duration wait) {
    return wait.plusNanos(999_999_999).toSeconds();
  }

  /** The engine writes nanoseconds, which nobody reads; what is no time is left as it is. */
  private static String wholeSeconds(String time) {
    try {
      return Instant.parse(time).truncatedTo(ChronoUnit.SECONDS).toString();
    } catch (DateTimeParseException _) {
      return time;
    }
  }

  private String lastEnd() {
    if (restarts.ends().isEmpty()) {
      return "it ended";
    }
    Restarts.End end = restarts.ends().getLast();
    if (!end.error().isEmpty()) {
      return "the engine could not start it: " + end.error();
    }
    return "it ended with exit code %d%s at %s after a run of %d s"
        .formatted(
            end.exitCode(),
            end.oomKilled()
                ? " (killed because its memory ran out)"
                : end.exitCode() > 128 ? " (signal " + (end.exitCode() - 128) + ")" : "",
            wholeSeconds(end.finishedAt()),
            end.ran().toSeconds());
  }

  /** What a person should know although it does not change the state. */
  List<String> notes(Decision decision, Holdings holdings, @Nullable PullFailure pullFailure) {
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
    if (pullFailure != null) {
      notes.add("what is on this host is used: " + pullFailure.getMessage());
    }
    if (decision instanceof Decision.Keep && restarts.inARow() > 0 && !restarts.isLoop()) {
      notes.add("ended lately: " + lastEnd());
    }
    return notes;
  }

  Finding pulling(Decision decision, ImageName image, String progress) {
    String text = "pulling " + image + ": " + progress;
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
        : Finding.failed("the image cannot be pulled", failure.reason, failure.kind.action);
  }

  Finding neverPulled(ContainerSpec spec, boolean runs) {
    String cause =
        "the image %s is not on this host, and containers.%s.pull is never"
            .formatted(spec.image(), config.name());
    String action = "load the image with docker load, or set pull to missing";
    return runs
        ? Finding.degraded("runs with an old specification", cause, action)
        : Finding.failed("there is no image", cause, action);
  }

  List<Step> steps(Decision decision, ContainerSpec spec, boolean pull) {
    List<Step> removals = stepsToRemove(decision.others(), "it is one too many");
    boolean runs = decision instanceof Decision.Keep || decision instanceof Decision.Replace;
    var steps = new ArrayList<Step>(runs ? removals : List.of());
    if (pull) {
      steps.add(stepToPull(spec));
    }
    switch (decision) {
      case Decision.Keep(Observed good, List<Observed> _) -> {
        if (good.name().equals(spec.nextName())) {
          steps.add(new Step("rename " + good.name() + " to " + name, "its old one is gone"));
        }
      }
      case Decision.Start(Observed stopped, List<Observed> _) ->
          steps.add(new Step("start " + stopped.name(), "it is stopped"));
      case Decision.Make _ ->
          steps.add(new Step("create and start " + name, "there is no container"));
      case Decision.Replace(Observed old, Optional<Observed> _, List<Observed> _) ->
          steps.add(
              new Step(
                  "replace " + old.name() + " (" + old.shortId() + ") by a new one",
                  "its specification has changed"));
      case Decision.Wait _ -> {}
    }
    if (!runs) {
      steps.addAll(removals);
    }
    return steps;
  }

  Step stepToPull(ContainerSpec spec) {
    return new Step("pull " + spec.image(), "it is not on this host, or is to be looked for anew");
  }

  List<Step> stepsToRemove(List<Observed> containers, String why) {
    return containers.stream()
        .map(container ->
            new Step("remove " + container.name() + " (" + container.shortId() + ")", why))
        .toList();
  }

  private Map<String, Object> facts(Observed container, ContainerSpec spec, List<String> lastLog) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("id", container.id());
    facts.put("name", container.name());
    facts.put("status", container.status().name().toLowerCase(Locale.ROOT));
    facts.put("image", spec.image().text());
    facts.put("imageId", container.imageId());
    facts.put("spec", spec.hash());
    facts.put("startedAt", wholeSeconds(container.startedAt()));
    facts.put("endsInARow", restarts.inARow());
    if (!container.alive() && restarts.untilDue().isPositive()) {
      facts.put("startsAgainInSeconds", wholeSeconds(restarts.untilDue()));
    }
    if (!restarts.ends().isEmpty()) {
      facts.put("lastEnds", restarts.ends().stream().map(Wording::endFacts).toList());
      facts.put("lastLog", lastLog);
    }
    return facts;
  }

  private static Map<String, Object> endFacts(Restarts.End end) {
    return Map.of(
        "exitCode", end.exitCode(),
        "oomKilled", end.oomKilled(),
        "finishedAt", wholeSeconds(end.finishedAt()),
        "ranSeconds", end.ran().toSeconds(),
        "error", end.error());
  }
}
