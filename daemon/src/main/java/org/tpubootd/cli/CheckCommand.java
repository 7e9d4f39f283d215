package org.tpubootd.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tpubootd.OneShot;
import org.tpubootd.Surroundings;
import org.tpubootd.Version;
import org.tpubootd.config.Config;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.ConfigLoader;
import org.tpubootd.core.Board;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Plan;
import org.tpubootd.host.HostChecks;
import org.tpubootd.image.ImageChecks;
import org.tpubootd.image.Result;
import org.tpubootd.image.Severity;
import org.tpubootd.pci.Devices;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether a tree of files is a good TPU image, or this host a right TPU host. */
@Command(
    name = "check",
    description = {
      "Tell whether this host is right and what to do where it is not, or with --image whether a"
          + " tree of files is a good TPU image. Changes nothing, and needs neither the daemon nor"
          + " an engine nor a network.",
      "Exit code 0: no error, though there may be warnings. 1: at least one error."
    })
final class CheckCommand implements Callable<Integer> {

  /** What only a running kernel shows, in the order in which the parts count on each other. */
  private static final List<String> OF_THE_RUNNING_HOST = List.of(Devices.NAME, HostChecks.NAME);

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = "--image",
      description = "Look at files only: those below --root, or of the chroot that this runs in.")
  private boolean image;

  /** For machines: fields are added, never renamed. */
  record Document(
      boolean good,
      String version,
      String subject,
      String root,
      int errors,
      int warnings,
      List<Row> checks) {}

  /**
   * One result.
   *
   * @param severity ok, warning, error or n/a
   * @param advice null where nothing is to be done
   */
  record Row(
      String check, String severity, String found, @Nullable String advice, List<String> notes) {

    static Row of(Result result) {
      return new Row(
          result.check(),
          result.severity().word(),
          result.found(),
          result.advice(),
          result.notes());
    }
  }

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    Surroundings surroundings = common.surroundings();
    var results = new ArrayList<>(new ImageChecks(surroundings.root(), !image).look());
    if (!image) {
      results.addAll(runningHost(surroundings));
    }
    int errors = count(results, Severity.ERROR);
    Screen screen = output.screen();
    if (output.json()) {
      screen.json(
          new Document(
              errors == 0,
              Version.current(),
              image ? "image" : "host",
              surroundings.root().directory().toString(),
              errors,
              count(results, Severity.WARNING),
              results.stream().map(Row::of).toList()));
    } else {
      new CheckTable(screen).print(results, image ? "a good TPU image" : "a working TPU host");
    }
    return errors == 0 ? ExitCode.OK : ExitCode.NOT_SO;
  }

  private List<Result> runningHost(Surroundings surroundings)
      throws ConfigException, IOException, InterruptedException {
    var results = new ArrayList<Result>();
    var board = new Board(surroundings.time());
    try (var once = new OneShot(surroundings, configOrDefaults(), board, OF_THE_RUNNING_HOST)) {
      for (Component component : once.components()) {
        Plan plan = PlanCommand.plan(component);
        once.post(component, plan.steps().isEmpty() ? plan.now() : Finding.ok("as planned"));
        results.add(
            Result.of(
                component.part().name(),
                plan.now(),
                component.part().required(),
                !plan.steps().isEmpty()));
      }
    }
    return results;
  }

  /** What is wrong with the configuration is one of the results already. */
  private Config configOrDefaults() throws ConfigException {
    ConfigLoader loader = common.configLoader();
    try {
      return loader.load().config();
    } catch (ConfigException e) {
      return loader.withoutFiles();
    }
  }

  private static int count(List<Result> results, Severity severity) {
    return (int) results.stream().filter(result -> result.severity() == severity).count();
  }
}
