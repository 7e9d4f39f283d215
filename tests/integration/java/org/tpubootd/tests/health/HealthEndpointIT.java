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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;

@Timeout(60)
class HealthEndpointIT {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "GET /livez HT",
        "GET /livez HTTP/1.1\r\nHost: x\r\n",
        "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
      })
  void requestThatNeverEnds_isCutOff(String beginning) throws Exception {
    try (var endpoint = new EndpointProcess("-Dsun.net.httpserver.maxReqTime=1");
        var socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      socket.setSoTimeout(40_000);
      socket.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
      // Ends only when the server closes the connection; the JDK's default is never.
      readToTheEnd(socket);
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
