package org.tpubootd.pci;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.tpubootd.config.DevicesConfig.GenerationRow;
import org.tpubootd.config.DevicesConfig.NodeKind;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The table of generations: what a PCI function of Google's is, by its ids. */
final class Generations {

  private static final String RESOURCE = "generations.yaml";

  /** What a function is to us. */
  sealed interface Identity {
    /** A TPU of this row. */
    record Tpu(GenerationRow row) implements Identity {}

    /** Not to be bound; the sentence says what it is and why not. */
    record Reported(String sentence) implements Identity {}

    /** None of our business, and nothing to tell. */
    record Other() implements Identity {}
  }

  private final List<GenerationRow> rows;
  private final Map<String, String> reported;
  private final Map<String, String> others;

  private Generations(
      List<GenerationRow> rows, Map<String, String> reported, Map<String, String> others) {
    this.rows = rows;
    this.reported = reported;
    this.others = others;
  }

  /**
   * Reads the built-in table.
   *
   * @param configured rows added to it; one of the same ids replaces the built-in one
   */
  static Generations load(List<GenerationRow> configured) {
    Map<?, ?> table;
    try (InputStream in = Generations.class.getResourceAsStream(RESOURCE)) {
      table = new Yaml(new SafeConstructor(new LoaderOptions())).load(Objects.requireNonNull(in));
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE, e);
    }
    var rows = new LinkedHashMap<String, GenerationRow>();
    entries(table, "generations").forEach(entry -> put(rows, row(entry)));
    configured.forEach(row -> put(rows, row));
    return new Generations(
        List.copyOf(rows.values()), names(table, "reported"), names(table, "others"));
  }

  private static void put(Map<String, GenerationRow> rows, GenerationRow row) {
    rows.put(row.device() + ":" + row.subsystemDeviceIfAny().orElse("any"), row);
  }

  List<GenerationRow> rows() {
    return rows;
  }

  Identity identify(PciFunction function) {
    if (!function.isGoogle() || others.containsKey(function.device())) {
      return new Identity.Other();
    }
    // A row that names the subsystem is about fewer functions than one that does not.
    Optional<GenerationRow> row =
        rows.stream()
            .filter(candidate -> candidate.subsystemDeviceIfAny().isPresent())
            .filter(candidate -> fits(candidate, function))
            .findFirst()
            .or(() ->
                rows.stream()
                    .filter(candidate -> candidate.subsystemDeviceIfAny().isEmpty())
                    .filter(candidate -> fits(candidate, function))
                    .findFirst());
    return row.<Identity>map(Identity.Tpu::new)
        .orElseGet(() -> new Identity.Reported(why(function)));
  }

  private static boolean fits(GenerationRow row, PciFunction function) {
    return row.device().equals(function.device())
        && row.subsystemDeviceIfAny()
            .map(wanted ->
                function.subsystemVendor().equals(PciFunction.GOOGLE)
                    && wanted.equals(function.subsystemDevice()))
            .orElse(true);
  }

  private String why(PciFunction function) {
    String which = "%s (%s) ".formatted(function.bdf(), function.ids());
    String known = reported.get(function.device());
    if (known != null) {
      return which + "is " + known + ": it is not bound";
    }
    Optional<GenerationRow> sameDevice =
        rows.stream().filter(row -> row.device().equals(function.device())).findFirst();
    return which
        + sameDevice
            .map(row -> "has the device id of a " + row.name() + " but another subsystem id")
            .orElse("is a function of Google's that tpu-bootd does not know")
        + ": it is not bound; if it is a TPU, add a row to devices.generations";
  }

  /** A sentence for each configured row that cannot take effect. */
  List<String> refusedRows() {
    return rows.stream()
        .filter(row -> others.containsKey(row.device()))
        .map(row ->
            "the row '%s' of devices.generations names the device id %s, which is %s: the row"
                    .formatted(row.name(), row.device(), others.get(row.device()))
                + " is ignored")
        .toList();
  }

  private static List<Map<?, ?>> entries(Map<?, ?> table, String key) {
    var entries = new ArrayList<Map<?, ?>>();
    if (table.get(key) instanceof List<?> list) {
      for (Object item : list) {
        entries.add((Map<?, ?>) item);
      }
    }
    return entries;
  }

  private static Map<String, String> names(Map<?, ?> table, String key) {
    var names = new LinkedHashMap<String, String>();
    entries(table, key).forEach(entry -> names.put(text(entry, "device"), text(entry, "name")));
    return names;
  }

  private static GenerationRow row(Map<?, ?> entry) {
    var chips = new ArrayList<Integer>();
    for (Object number : (List<?>) Objects.requireNonNull(entry.get("chips-per-host"))) {
      chips.add((Integer) number);
    }
    return new GenerationRow(
        text(entry, "name"),
        text(entry, "device"),
        entry.get("subsystem-device") instanceof String subsystem ? subsystem : null,
        NodeKind.valueOf(text(entry, "node").toUpperCase(Locale.ROOT)),
        List.copyOf(chips),
        entry.get("functions-per-chip") instanceof Integer number ? number : 1);
  }

  private static String text(Map<?, ?> entry, String key) {
    return (String) Objects.requireNonNull(entry.get(key), key);
  }
}
