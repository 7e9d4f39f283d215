package org.tpubootd.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.AsyncDockerCmd;
import com.github.dockerjava.api.exception.BadRequestException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.transport.DockerHttpClient;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tpubootd.core.Deadline;

/**
 * How the engine is called: under a deadline that really ends the call, in the version that was
 * settled with it, and with what goes wrong made an {@link EngineException}. Thread-safe.
 */
final class EngineClient implements Closeable {

  /** The engine's socket, and one client for all plain calls. */
  private record Link(EngineConnection connection, DockerHttpClient http) {}

  /** What was settled with the engine, and a client that speaks it. */
  private record Settled(RemoteApiVersion version, DockerClient client) {}

  private final String address;
  private final EngineErrors errors;
  private final Duration callDeadline;
  private final Presence presence = new Presence();
  private volatile @Nullable Link link;
  private volatile @Nullable Settled settled;

  EngineClient(String address, Duration callDeadline) {
    this.address = address;
    this.errors = new EngineErrors(address);
    this.callDeadline = callDeadline;
  }

  String address() {
    return address;
  }

  Presence presence() {
    return presence;
  }

  /** Ends what docker-java keeps. The engine can be called again all the same. */
  @Override
  public void close() throws IOException {
    Link open = link;
    link = null;
    settled = null;
    if (open != null) {
      open.http().close();
    }
  }

  /**
   * For calls that change something: "it is so already" is as good as done.
   *
   * @return whether something has changed
   */
  boolean change(String what, Duration limit, Consumer<DockerClient> work)
      throws EngineException, InterruptedException {
    return callSettled(
        what,
        limit,
        spoken -> {
          try {
            work.accept(spoken.client());
            return true;
          } catch (NotModifiedException _) {
            return false;
          }
        });
  }

  /** For calls that look at something. */
  <T> T call(String what, Function<DockerClient, T> work)
      throws EngineException, InterruptedException {
    return callSettled(what, callDeadline, spoken -> work.apply(spoken.client()));
  }

  private <T> T callSettled(String what, Duration limit, Function<Settled, T> work)
      throws EngineException, InterruptedException {
    Link open = link();
    Optional<IOException> away = presence.away();
    if (away.isPresent()) {
      throw doubted(errors.away(what, away.get()));
    }
    try {
      return Deadline.call(
          what,
          limit,
          () -> {
            try {
              return work.apply(settle(open));
            } catch (BadRequestException e) {
              if (!String.valueOf(e.getMessage()).contains("client version")) {
                throw e;
              }
              // The engine was exchanged behind our back, and has refused without looking further.
              settled = null;
              return work.apply(settle(open));
            }
          });
    } catch (Deadline.Passed _) {
      throw hung(what, limit);
    } catch (IOException | RuntimeException e) {
      throw translated(what, e);
    }
  }

  /** For calls whose answer goes on. */
  <T> EngineStream<T> open(String what, Function<DockerClient, AsyncDockerCmd<?, T>> command)
      throws EngineException, InterruptedException {
    return open(what, command, item -> item);
  }

  /**
   * The same where an item does not stay as it was.
   *
   * @param taken what is to be read of an item, while it is as it was
   */
  <I, T> EngineStream<T> open(
      String what, Function<DockerClient, AsyncDockerCmd<?, I>> command, Function<I, T> taken)
      throws EngineException, InterruptedException {
    // The version is settled by a plain call, under its deadline.
    RemoteApiVersion version = callSettled(what, callDeadline, Settled::version);
    EngineConnection connection = link().connection();
    DockerHttpClient http = connection.http();
    var stream = new EngineStream<T>(http);
    try {
      command.apply(connection.client(http, version)).exec(stream.callback(taken));
      return stream;
    } catch (RuntimeException e) {
      stream.close();
      throw translated(what, e);
    }
  }

  /**
   * For an answer that is a file: it is written out whole. Over connections of its own, which are
   * broken off when the time is over.
   */
  void download(
      String what, Duration limit, Function<DockerClient, InputStream> call, OutputStream to)
      throws EngineException, InterruptedException {
    RemoteApiVersion version = callSettled(what, callDeadline, Settled::version);
    EngineConnection connection = link().connection();
    try (DockerHttpClient http = connection.http()) {
      Deadline.call(
          what,
          limit,
          () -> {
            try (InputStream answer = call.apply(connection.client(http, version))) {
              return answer.transferTo(to);
            }
          });
    } catch (Deadline.Passed _) {
      throw hung(what, limit);
    } catch (IOException | RuntimeException e) {
      throw translated(what, e);
    }
  }

  private Settled settle(Link open) throws IOException {
    Settled known = settled;
    if (known != null) {
      return known;
    }
    RemoteApiVersion version = open.connection().negotiate(open.http());
    var fresh = new Settled(version, open.connection().client(open.http(), version));
    settled = fresh;
    return fresh;
  }

  private synchronized Link link() throws EngineException.Unsupported {
    Link open = link;
    if (open == null) {
      var connection = new EngineConnection(socket());
      open = new Link(connection, connection.http());
      link = open;
    }
    return open;
  }

  private URI socket() throws EngineException.Unsupported {
    String path = socketPath();
    try {
      var socket = new URI("unix://" + path);
      if (path.equals(socket.getPath())) {
        return socket;
      }
    } catch (URISyntaxException _) {
      // Told below.
    }
    throw new EngineException.Unsupported(
        "the engine's address " + address + " has a blank, a %, # or ? or the like in it");
  }

  /** The path of the socket, where the address names one. */
  String socketPath() throws EngineException.Unsupported {
    if (!address.startsWith("unix:///")) {
      throw new EngineException.Unsupported(
          "the engine's address " + address + " is not of the form unix:///path/to/socket");
    }
    return address.substring("unix://".length());
  }

  /** From now on the version is in doubt: an engine that comes back may be another one. */
  private EngineException doubted(EngineException e) {
    if (e.engineIsAway() || e instanceof EngineException.Refused) {
      settled = null;
    }
    return e;
  }

  EngineException hung(String what, Duration limit) {
    return doubted(errors.hung(what, limit));
  }

  EngineException translated(String what, Throwable cause) {
    return doubted(errors.of(what, cause));
  }
}
