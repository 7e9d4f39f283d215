package org.tpubootd.testbed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What goes wrong at a {@link FakeEngine}, switched on and off by tests. Paths are those behind the
 * version: {@code /containers/json}; a part of one is enough to name it. Thread-safe.
 */
public final class FakeEngineFaults {

  /** An answer in place of the true one. */
  record Answer(int status, String message) {}

  private record Failing(String path, Answer answer) {}

  private final List<String> hanging = new ArrayList<>();
  private final List<String> dropping = new ArrayList<>();
  private final List<Failing> failing = new ArrayList<>();
  private Duration delay = Duration.ZERO;
  private String oldestApi = "1.12";
  private String newestApi = "1.41";
  private Optional<String> pullError = Optional.empty();
  private boolean pullStalls;
  private boolean pullsLost;
  private boolean savesCut;
  private boolean startsHeld;
  private Optional<String> startHeldOf = Optional.empty();
  private boolean closed;

  /** Calls of this path get no answer until {@link #clear}. */
  public synchronized void hang(String path) {
    hanging.add(path);
  }

  /** Calls of this path are cut off without an answer. */
  public synchronized void drop(String path) {
    dropping.add(path);
  }

  /** Calls of this path are answered with an error. */
  public synchronized void fail(String path, int status, String message) {
    failing.add(new Failing(path, new Answer(status, message)));
  }

  /** Every answer takes so long. */
  public synchronized void slow(Duration delay) {
    this.delay = delay;
  }

  /** What the engine speaks; other versions are refused, in the words of the real one. */
  public synchronized void api(String oldest, String newest) {
    oldestApi = oldest;
    newestApi = newest;
  }

  /** Pulls begin well and end with this error in the stream, as the real engine's do. */
  public synchronized void failPulls(String message) {
    pullError = Optional.of(message);
  }

  /** Pulls begin well and then nothing more comes, until {@link #clear}. */
  public synchronized void stallPulls() {
    pullStalls = true;
  }

  /** Pulls end well, and the image is not there all the same. */
  public synchronized void losePulls() {
    pullsLost = true;
  }

  synchronized boolean pullsAreLost() {
    return pullsLost;
  }

  /** Archives end in the middle, with an error behind, in the way of Docker 20.10. */
  public synchronized void cutSaves() {
    savesCut = true;
  }

  synchronized boolean savesAreCut() {
    return savesCut;
  }

  /** Starts are taken and not done before {@link #clear}; a stop waits for them, as dockerd's. */
  public synchronized void holdStarts() {
    startsHeld = true;
  }

  /** The same for the starts of containers of one name. */
  public synchronized void holdStartsOf(String name) {
    startHeldOf = Optional.of(name);
  }

  /** All is well again; what hung goes on. The versions stay. */
  public synchronized void clear() {
    hanging.clear();
    dropping.clear();
    failing.clear();
    delay = Duration.ZERO;
    pullError = Optional.empty();
    pullStalls = false;
    pullsLost = false;
    savesCut = false;
    startsHeld = false;
    startHeldOf = Optional.empty();
    notifyAll();
  }

  synchronized void close() {
    closed = true;
    clear();
  }

  /** Lets a call of this path go on when no fault holds it up any more. */
  void passHangs(String path) throws InterruptedException {
    Duration slowness;
    synchronized (this) {
      awaitWhile(_ -> hanging.stream().anyMatch(path::contains));
      slowness = delay;
    }
    Thread.sleep(slowness);
  }

  synchronized void passStall() throws InterruptedException {
    awaitWhile(_ -> pullStalls);
  }

  synchronized void passHeldStarts(String name) throws InterruptedException {
    awaitWhile(_ -> startsHeld || startHeldOf.filter(name::equals).isPresent());
  }

  private synchronized void awaitWhile(Predicate<FakeEngineFaults> faulty)
      throws InterruptedException {
    while (!closed && faulty.test(this)) {
      wait();
    }
  }

  synchronized boolean drops(String path) {
    return dropping.stream().anyMatch(path::contains);
  }

  synchronized Optional<Answer> answerTo(String path) {
    return failing.stream()
        .filter(fault -> path.contains(fault.path()))
        .map(Failing::answer)
        .findFirst();
  }

  synchronized Optional<String> pullError() {
    return pullError;
  }

  synchronized String oldestApi() {
    return oldestApi;
  }

  synchronized String newestApi() {
    return newestApi;
  }
}
