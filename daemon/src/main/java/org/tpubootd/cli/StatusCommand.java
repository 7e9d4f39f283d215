package org.tpubootd.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.tpubootd.config.ConfigException;
import org.tpubootd.config.HealthConfig;
import org.tpubootd.health.StatusDocument;
import org.tpubootd.health.StatusJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows how every part is, as the running daemon tells it. */
@Command(
    name = "status",
    description = {
      "Show how every part is, as the running daemon tells it.",
      "A part with a * does not keep the host from being ready.",
      "Exit code 0: ready. 1: not ready. 3: the daemon does not answer."
    })
final class StatusCommand implements Callable<Integer> {

  /** The endpoint is on this machine: what takes longer does not answer. */
  private static final int PATIENCE_MILLIS = 5_000;

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws ConfigException {
    HealthConfig health = common.configOrDefaults().health();
    Screen screen = output.screen();
    if (!health.enabled()) {
      output.error("The health endpoint is switched off (health.enabled): there is nobody to ask.");
      return ExitCode.NO_DAEMON;
    }
    String body;
    try {
      body = fetch(health);
    } catch (IOException e) {
      output.error(
          "The daemon does not answer on %s:%d: %s.%n%s"
              .formatted(
                  health.address(),
                  health.port(),
                  e.getMessage(),
                  "See `systemctl status tpu-bootd`; `tpu-bootd plan` works without it."));
      return ExitCode.NO_DAEMON;
    }
    try {
      StatusDocument status = new StatusJson().read(body);
      if (output.json()) {
        screen.line(body.stripTrailing());
      } else {
        new StatusTable(screen, Instant.now()).print(status);
      }
      return status.ready() ? ExitCode.OK : ExitCode.NOT_SO;
    } catch (IOException _) {
      // What Jackson says of a foreign document helps nobody.
      output.error(
          "What answers on %s:%d is not tpu-bootd: /status there is not its document."
              .formatted(health.address(), health.port()));
      return ExitCode.NO_DAEMON;
    }
  }

  private static String fetch(HealthConfig health) throws IOException {
    // An endpoint on all addresses is asked on this machine's own.
    String host =
        switch (health.address()) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::" -> "[::1]";
          case String address -> address.contains(":") ? "[" + address + "]" : address;
        };
    var uri = URI.create("http://" + host + ":" + health.port() + "/status");
    var connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(PATIENCE_MILLIS);
    connection.setReadTimeout(PATIENCE_MILLIS);
    int code = connection.getResponseCode();
    if (code != HttpURLConnection.HTTP_OK) {
      throw new IOException(
          code < 0
              ? "what listens there speaks no HTTP"
              : "what listens there answers /status with " + code + ", so it is not tpu-bootd");
    }
    try (InputStream in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
