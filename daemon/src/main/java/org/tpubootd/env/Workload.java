package org.tpubootd.env;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What a training job has to know of its slice, under the names that libtpu, JAX and PyTorch/XLA
 * read, which are the ones that GKE's device plugin gives to pods (RATIONALE.md has the sources).
 *
 * @param variables in the order of the file
 * @param missing what the job has to ask the metadata server for
 * @param derived the variables whose value was not given but follows from others
 * @param contradictions what cannot all be true, a line each; also in the notes
 * @param severalHosts whether the slice is known to have more hosts than this one
 * @param notes what was left out and what contradicts itself, a line each
 */
record Workload(
    Map<String, String> variables,
    List<Missing> missing,
    List<String> derived,
    List<String> contradictions,
    boolean severalHosts,
    List<String> notes) {

  static final String ACCELERATOR_TYPE = "accelerator-type";
  static final String AGENT_WORKER_NUMBER = "agent-worker-number";
  static final String WORKER_ID = "worker-id";

  /** The attributes that fill in what tpu-env lacks. */
  static final List<String> ATTRIBUTES =
      List.of(WorkerEndpoints.ATTRIBUTE, ACCELERATOR_TYPE, AGENT_WORKER_NUMBER, WORKER_ID);

  static final String HOST_NAMES = "worker host names";
  static final String ID = "worker id";

  /**
   * Something that a job needs and that is not known.
   *
   * @param what for people
   * @param attributes where it might still come from
   */
  record Missing(String what, List<String> attributes) {}

  /** JAX takes it for set whatever its value is; PyTorch/XLA wants text that is not empty. */
  static final String SKIP = "TPU_SKIP_MDS_QUERY";

  static Workload of(TpuEnv env, Function<String, Optional<String>> attributes) {
    return new Maker(env, attributes).make();
  }

  /** The file: plain {@code KEY=VALUE} lines. */
  String text() {
    var text = new StringBuilder();
    variables.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    return text.toString();
  }

  /** Goes through the variables, one after the other. */
  private static final class Maker {

    /**
     * What docker (which takes every character as it is), systemd and bash (which take quotes off
     * and act on much else) read alike without quotes. No "~": bash expands it after "=" and ":".
     */
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9_.,:/@%+=-]*");

    /** docker reads an env-file with Go's bufio.Scanner, which gives up at 64 KiB with newline. */
    private static final int LONGEST_LINE = 64 * 1024 - 1;

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,6}");

    private final TpuEnv env;
    private final Function<String, Optional<String>> attributes;
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final List<Missing> missing = new ArrayList<>();
    private final List<String> derived = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> contradictions = new ArrayList<>();

    Maker(TpuEnv env, Function<String, Optional<String>> attributes) {
      this.env = env;
      this.attributes = attributes;
    }

    Workload make() {
      var type = acceleratorType();
      var listed = listedWorkers();
      var shape = shape(type, listed);
      var id = workerId(shape);
      hostNames(shape, listed, id);
      for (String name : List.of("ENABLE_ICI_RESILIENCY", "TPU_RUNTIME_METRICS_PORTS")) {
        given(name).ifPresent(value -> put(name, value));
      }
      env.values().keySet().stream()
          .filter(name -> name.startsWith("MEGASCALE_"))
          .forEach(name -> given(name).ifPresent(value -> put(name, value)));
      if (missing.isEmpty() && contradictions.isEmpty()) {
        put(SKIP, "true");
      } else if (!missing.isEmpty()) {
        notes.add(SKIP + " is left out; a job has to ask the metadata server for: " + missing());
      }
      boolean severalHosts =
          shape.hosts().filter(hosts -> hosts.size() > 1).isPresent()
              || listed.filter(hosts -> hosts.size() > 1).isPresent();
      return new Workload(variables, missing, derived, contradictions, severalHosts, notes);
    }

    private String missing() {
      return String.join(", ", missing.stream().map(Missing::what).toList());
    }

    private Optional<AcceleratorType> acceleratorType() {
      var text =
          given("TPU_ACCELERATOR_TYPE", "ACCELERATOR_TYPE")
              .or(() -> attribute(ACCELERATOR_TYPE).map(AcceleratorType::asVariable));
      require("TPU_ACCELERATOR_TYPE", text, "accelerator type", ACCELERATOR_TYPE);
      return text.flatMap(AcceleratorType::parse);
    }

    private SliceShape shape(Optional<AcceleratorType> type, Optional<List<String>> listed) {
      var topology = given("TPU_TOPOLOGY", "TOPOLOGY");
      topology.ifPresent(text -> put("TPU_TOPOLOGY", text));
      for (String half : List.of("WRAP", "ALT")) {
        pair(half, "TPU_TOPOLOGY_" + half, Optional.empty());
      }
      var hosts = bounds("HOST_BOUNDS", "TPU_PROCESS_BOUNDS");
      var chips = bounds("CHIPS_PER_HOST_BOUNDS", "TPU_CHIPS_PER_PROCESS_BOUNDS");
      var shape =
          new SliceShape(hosts, chips)
              .completed(
                  topology.flatMap(Bounds::parseTopology),
                  type,
                  listed.isPresent() ? OptionalLong.of(listed.get().size()) : OptionalLong.empty());
      putBounds("HOST_BOUNDS", hosts, shape.hosts(), "host bounds");
      putBounds("CHIPS_PER_HOST_BOUNDS", chips, shape.chips(), "chips per host bounds");
      return shape;
    }

    private Optional<Bounds> bounds(String name, String fallback) {
      var text = given("TPU_" + name, name, fallback);
      var bounds = text.flatMap(Bounds::parse);
      if (text.isPresent() && bounds.isEmpty()) {
        notes.add(name + " is left out: '" + text.get() + "' is not of the form 2,2,1");
      }
      return bounds;
    }

    private void putBounds(
        String name, Optional<Bounds> given, Optional<Bounds> known, String what) {
      if (known.isPresent() && given.isEmpty()) {
        derived.add("TPU_" + name);
      }
      var text = known.map(Bounds::toString);
      require("TPU_" + name, text, what, WorkerEndpoints.ATTRIBUTE, ACCELERATOR_TYPE);
      text.ifPresent(value -> put(name, value));
    }

    private Optional<Integer> workerId(SliceShape shape) {
      var inEnv = given("TPU_WORKER_ID", "WORKER_ID").flatMap(this::number);
      var inAttributes =
          attribute(AGENT_WORKER_NUMBER).or(() -> attribute(WORKER_ID)).flatMap(this::number);
      if (inEnv.isPresent() && inAttributes.isPresent() && !inEnv.equals(inAttributes)) {
        contradiction(
            "the worker id is %d in tpu-env and %d in the attribute of its own"
                .formatted(inEnv.get(), inAttributes.get()));
      }
      var id = inEnv.or(() -> inAttributes);
      if (id.isEmpty() && shape.hosts().equals(Optional.of(Bounds.ONE))) {
        id = Optional.of(0);
        derived.add("TPU_WORKER_ID");
      }
      require("TPU_WORKER_ID", id.map(String::valueOf), ID, AGENT_WORKER_NUMBER, WORKER_ID);
      return id;
    }

    private Optional<Integer> number(String text) {
      if (NUMBER.matcher(text).matches()) {
        return Optional.of(Integer.parseInt(text));
      }
      notes.add("the worker id '" + text + "' is not a number and is left out");
      return Optional.empty();
    }

    private Optional<List<String>> listedWorkers() {
      var own = given("TPU_WORKER_HOSTNAMES");
      var text = own.or(() -> attribute(WorkerEndpoints.ATTRIBUTE));
      var hosts = text.flatMap(WorkerEndpoints::hosts);
      if (text.isPresent() && hosts.isEmpty()) {
        notes.add(
            (own.isPresent() ? "TPU_WORKER_HOSTNAMES" : WorkerEndpoints.ATTRIBUTE)
                + " has an entry that is neither a host's name nor name:id:address");
      }
      return hosts;
    }

    /**
     * JAX takes the presence of the names for the whole story: it then wants TPU_WORKER_ID too and
     * no longer asks the server. So they are only given when they fit the rest.
     */
    private void hostNames(
        SliceShape shape, Optional<List<String>> listed, Optional<Integer> workerId) {
      OptionalLong hosts =
          shape.hosts().isPresent()
              ? OptionalLong.of(shape.hosts().get().size())
              : OptionalLong.empty();
      boolean fits = true;
      if (hosts.isPresent() && listed.isPresent() && hosts.getAsLong() != listed.get().size()) {
        fits = false;
        contradiction(
            "the metadata server lists %d workers, but host bounds of %s make %d"
                .formatted(listed.get().size(), shape.hosts().get(), hosts.getAsLong()));
      }
      long count = listed.isPresent() ? listed.get().size() : hosts.orElse(Long.MAX_VALUE);
      if (workerId.isPresent() && workerId.get() >= count) {
        fits = false;
        contradiction(
            "the worker id is %d, but of %d workers the last has %d"
                .formatted(workerId.get(), count, count - 1));
      }
      Optional<String> names =
          count == 1 ? Optional.of("localhost") : listed.map(list -> String.join(",", list));
      if (names.isEmpty() || (fits && workerId.isPresent())) {
        require("TPU_WORKER_HOSTNAMES", names, HOST_NAMES, WorkerEndpoints.ATTRIBUTE);
      }
    }

    private void contradiction(String note) {
      contradictions.add(note);
      notes.add(note + "; " + SKIP + " and what contradicts is left to the job");
    }

    /** A value of tpu-env by the first of these names that has any. Empty text is no value. */
    private Optional<String> given(String... names) {
      for (String name : names) {
        var value = env.value(name).map(String::strip).filter(text -> !text.isEmpty());
        if (value.isPresent()) {
          return value;
        }
      }
      return Optional.empty();
    }

    private Optional<String> attribute(String key) {
      return attributes.apply(key).map(String::strip).filter(text -> !text.isEmpty());
    }

    /** Two names that mean the same: each has its own value, or else the other's. */
    private void pair(String a, String b, Optional<String> otherwise) {
      given(a, b).or(() -> otherwise).ifPresent(value -> put(a, value));
      given(b, a).or(() -> otherwise).ifPresent(value -> put(b, value));
    }

    private void require(String name, Optional<String> value, String what, String... attributes) {
      if (value.isEmpty() || !put(name, value.get())) {
        missing.add(new Missing(what, List.of(attributes)));
      }
    }

    private boolean put(String name, String value) {
      if (!SAFE.matcher(value).matches()) {
        notes.add(name + " is left out: docker, systemd and bash do not all read its value alike");
        return false;
      }
      if ((name + "=" + value).getBytes(StandardCharsets.UTF_8).length > LONGEST_LINE) {
        notes.add(name + " is left out: docker reads no line of 64 KiB or more");
        return false;
      }
      variables.put(name, value);
      return true;
    }
  }
}
