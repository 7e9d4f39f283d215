package org.tpubootd.env;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.tpubootd.config.FilesConfig;
import org.tpubootd.config.HostRoot;
import org.tpubootd.core.Component;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.Plan;
import org.tpubootd.metadata.Reading;

/** The part {@code tpu-env}: the attribute of that name on disk, in its two forms. */
public final class TpuEnvFile implements Component {

  /** {@code KEY="VALUE"} lines, where Google's page and its images have them. */
  static final String VALUES = "/home/tpu-runtime/tpu-env";

  /** The attribute as received, for programs that cut on the single quote. */
  static final String RAW = "/etc/tpu/tpu-env";

  private static final int MODE = 0644;

  private final HostRoot root;
  private final SafeFile values;
  private final SafeFile raw;
  private final FilesConfig config;
  private final TpuEnvSource source;
  private final BooleanSupplier noTpuHere;

  /**
   * @param noTpuHere whether it is certain that this machine has no TPU; then nothing is waited for
   */
  public TpuEnvFile(
      HostRoot root, FilesConfig config, TpuEnvSource source, BooleanSupplier noTpuHere) {
    this.noTpuHere = noTpuHere;
    this.root = root;
    values = new SafeFile(root, VALUES);
    raw = new SafeFile(root, RAW);
    this.config = config;
    this.source = source;
  }

  @Override
  public Part part() {
    return new Part("tpu-env", Part.Group.HOST, true);
  }

  @Override
  public Plan plan() throws IOException, InterruptedException {
    var known = source.look();
    var good = known.good();
    if (good == null) {
      return Plan.nothingToDo(nothingToWrite(known));
    }
    Owner owner = Owner.findOrRoot(root, config.owner());
    var text = TpuEnvText.of(good.env());
    return Upkeep.plan(
        List.of(
            new Upkeep.Target(values.inHomeOf(owner), Wanted.file(text.text(), MODE, owner)),
            new Upkeep.Target(raw, Wanted.file(good.text(), MODE, Owner.ROOT))),
        written(known, good.env(), text));
  }

  private Finding nothingToWrite(TpuEnvSource.Knowledge known)
      throws IOException, InterruptedException {
    boolean earlier = values.exists();
    String kept = earlier ? "; the file of an earlier boot is there" : "";
    Reading reading = known.reading();
    if (known.problem() != null) {
      return Finding.failed(
          "the attribute tpu-env cannot be read" + kept,
          "the metadata server sent something else: " + known.problem(),
          "look at it: tpu-bootd metadata get tpu-env");
    }
    String cause = Readings.cause(reading);
    if (known.hasNone() && noTpuHere.getAsBoolean()) {
      return Readings.noTpuVm(reading);
    }
    return switch (reading.status()) {
      case PENDING, PRESENT ->
          Finding.waiting("waiting for the metadata server" + kept, cause, reading.action());
      case ABSENT -> Finding.waiting("there is no tpu-env yet" + kept, cause, reading.action());
      case UNREACHABLE ->
          Finding.waiting("the metadata server is away" + kept, cause, reading.action());
      case REFUSED ->
          Finding.failed(
              "the metadata server gives no tpu-env" + kept,
              cause,
              Objects.requireNonNullElse(
                  reading.action(), "put right what the cause names; it is tried again"));
    };
  }

  private Finding written(TpuEnvSource.Knowledge known, TpuEnv env, TpuEnvText text) {
    var notes = new ArrayList<String>(env.notes());
    notes.addAll(text.notes());
    Map<String, Object> facts = Map.of("file", VALUES, "raw", RAW, "keys", text.keys());
    if (known.problem() != null) {
      return Finding.failed(
              "the attribute tpu-env cannot be read; the files hold the last that could",
              "the metadata server sent something else: " + known.problem(),
              "look at it: tpu-bootd metadata get tpu-env")
          .withNotes(notes)
          .withFacts(facts);
    }
    if (known.reading().status() != Reading.Status.PRESENT) {
      notes.add("the files hold the last tpu-env received: " + Readings.cause(known.reading()));
    }
    int leftOut = env.values().size() - text.keys().size();
    return Finding.ok(
            VALUES
                + " holds "
                + (text.keys().size() == 1 ? "1 key" : text.keys().size() + " keys")
                + (leftOut == 0 ? "" : ", " + leftOut + " left out"))
        .withNotes(notes)
        .withFacts(facts);
  }
}
