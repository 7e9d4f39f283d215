package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.api.model.AuthConfigurations;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.core.SSLConfig;
import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Makes docker-java's clients for one socket, and settles with the engine which version of its API
 * is spoken. Has no deadlines: {@link Engine} puts them around.
 */
final class EngineConnection {

  /**
   * The newest version that we know to speak: the last that docker-java 3.7 names. Docker 29
   * refuses everything older than this one.
   */
  static final RemoteApiVersion NEWEST = RemoteApiVersion.VERSION_1_44;

  private final URI socket;

  EngineConnection(URI socket) {
    this.socket = socket;
  }

  /** A client of its own connections; closing it breaks them, whatever they wait for. */
  DockerHttpClient http() {
    return new OneConnectionPerCall(
        new ZerodepDockerHttpClient.Builder().dockerHost(socket).build());
  }

  DockerClient client(DockerHttpClient http, RemoteApiVersion version) {
    return DockerClientImpl.getInstance(new ClientConfig(socket, version), http);
  }

  /**
   * Asks the engine what it speaks.
   *
   * @throws DockerException where what answers is no engine, or one that is not well
   */
  RemoteApiVersion negotiate(DockerHttpClient http) throws IOException {
    var ping =
        DockerHttpClient.Request.builder()
            .method(DockerHttpClient.Request.Method.GET)
            .path("/_ping")
            .build();
    RemoteApiVersion engines;
    try (var response = http.execute(ping)) {
      String header = response.getHeader("Api-Version");
      if (response.getStatusCode() != 200) {
        byte[] said = response.getBody().readNBytes(4096);
        throw new DockerException(new String(said, UTF_8), response.getStatusCode());
      }
      if (header == null) {
        throw new DockerException("the answer to a ping has no header Api-Version", 200);
      }
      engines = RemoteApiVersion.parseConfig(header);
    }
    if (!engines.isGreater(NEWEST)) {
      return engines;
    }
    Object oldest =
        client(http, RemoteApiVersion.unknown())
            .versionCmd()
            .exec()
            .getRawValues()
            .get("MinAPIVersion");
    return choose(
        engines, oldest == null ? engines : RemoteApiVersion.parseConfig(oldest.toString()));
  }

  /**
   * The newest version that both sides know. Where the engine refuses even our newest, its oldest
   * is the nearest to what we know, and so far each one has understood our few calls.
   */
  static RemoteApiVersion choose(RemoteApiVersion engines, RemoteApiVersion enginesOldest) {
    if (!engines.isGreater(NEWEST)) {
      return engines;
    }
    return enginesOldest.isGreater(NEWEST) ? enginesOldest : NEWEST;
  }

  /**
   * Sends "Connection: close" with every call. A kept connection is dead after a restart of the
   * engine, and the first POST on it fails with "Broken pipe", of which nobody can tell whether the
   * engine has acted on it. A new connection over a Unix socket costs less than the question.
   */
  private record OneConnectionPerCall(DockerHttpClient http) implements DockerHttpClient {

    @Override
    public Response execute(Request request) {
      var builder = new Request.Builder();
      builder.from(request);
      builder.putHeader("Connection", "close");
      return http.execute(builder.build());
    }

    @Override
    public void close() throws IOException {
      http.close();
    }
  }

  /**
   * Deaf to the environment, to ~/.docker/config.json and to .docker-java.properties, which the
   * library's own builder reads: they could change the API version or send somebody's password.
   */
  private record ClientConfig(URI getDockerHost, RemoteApiVersion getApiVersion)
      implements DockerClientConfig {

    @Override
    public @Nullable String getRegistryUsername() {
      return null;
    }

    @Override
    public @Nullable String getRegistryPassword() {
      return null;
    }

    @Override
    public @Nullable String getRegistryEmail() {
      return null;
    }

    @Override
    public @Nullable String getRegistryUrl() {
      return null;
    }

    @Override
    public @Nullable AuthConfig effectiveAuthConfig(String image) {
      return null;
    }

    @Override
    public AuthConfigurations getAuthConfigurations() {
      return new AuthConfigurations();
    }

    @Override
    @SuppressWarnings("deprecation") // the library's own interface asks for it
    public @Nullable SSLConfig getSSLConfig() {
      return null;
    }
  }
}
