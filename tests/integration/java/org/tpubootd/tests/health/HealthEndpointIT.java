package org.tpubootd.tests.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;

@Timeout(60)
class HealthEndpointIT {

  private static final List<String> BEGINNINGS =
      List.of(
          "",
          "GET /livez HT",
          "GET /livez HTTP/1.1\r\nHost: x\r\n",
          "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc");

  /** The limits are the endpoint's own; only how often they are looked at is made quicker. */
  @Test
  void requestsThatNeverEnd_areCutOff() throws Exception {
    var clients = new ArrayList<Socket>();
    try (var endpoint = new EndpointProcess("-Dsun.net.httpserver.clockTick=500")) {
      for (String beginning : BEGINNINGS) {
        var client = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
        clients.add(client);
        client.setSoTimeout(40_000);
        client.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
      }
      for (Socket client : clients) {
        // Ends only when the server closes the connection; the JDK's default is never.
        readToTheEnd(client);
      }
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static void readToTheEnd(Socket socket) throws IOException {
    try {
      socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  @Test
  @Tag("real")
  @NeedsPart(Part.PROMTOOL)
  void metrics_areWhatPrometheusWants() throws Exception {
    try (var endpoint = new EndpointProcess();
        var client = HttpClient.newHttpClient()) {
      var uri = URI.create("http://127.0.0.1:" + endpoint.port() + "/metrics");
      String metrics =
          client
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(metrics).contains("tpu_bootd_part_state{part=\"devices\",state=\"failed\"} 1");
      var promtool =
          new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
      try (var in = promtool.outputWriter(StandardCharsets.UTF_8)) {
        in.write(metrics);
      }
      String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).isEmpty();
      assertThat(promtool.waitFor()).isZero();
    }
  }
}
