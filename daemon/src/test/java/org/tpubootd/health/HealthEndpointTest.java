package org.tpubootd.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.config.HealthConfig;
import org.tpubootd.core.Board;
import org.tpubootd.core.ControlLoop;
import org.tpubootd.core.FakeTime;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;
import org.tpubootd.core.State;

@Timeout(30)
class HealthEndpointTest {

  private final FakeTime time = new FakeTime();
  private final Board board = new Board(time);
  private final List<String> stuck = new CopyOnWriteArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final HealthEndpoint endpoint = endpoint(new HealthConfig(true, "127.0.0.1", 0));

  private HealthEndpoint endpoint(HealthConfig config) {
    return new HealthEndpoint(config, board, () -> stuck, "0.1.0", time);
  }

  @BeforeEach
  void begin() throws Exception {
    board.enlist(new Part("tpu-env", Part.Group.HOST, true));
    board.enlist(new Part("container/telemetry", Part.Group.CONTAINER, false));
    board.post("tpu-env", Finding.ok("written"));
    board.post("container/telemetry", Finding.ok("runs"));
    assertThat(pass(endpoint).state()).isEqualTo(State.OK);
  }

  @AfterEach
  void end() {
    endpoint.close();
    client.close();
  }

  private static Finding pass(HealthEndpoint endpoint) throws InterruptedException {
    return ControlLoop.look(endpoint, _ -> {});
  }

  private HttpResponse<String> ask(String method, String path, String... headers) throws Exception {
    var request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + endpoint.port().orElseThrow() + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    return ask("GET", path, headers);
  }

  @Test
  void livez_isOkWhateverThePartsAre() throws Exception {
    board.post("tpu-env", Finding.failed("gone", "deleted", "nothing"));
    assertThat(get("/livez").statusCode()).isEqualTo(200);
    assertThat(get("/livez").body()).isEqualTo("ok\n");
  }

  @Test
  void livez_loopStuck_is503AndNamesIt() throws Exception {
    stuck.add("devices");
    assertThat(get("/livez").statusCode()).isEqualTo(503);
    assertThat(get("/livez").body()).isEqualTo("stuck: devices\n");
  }

  @Test
  void readyz_allRight_is200() throws Exception {
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").body()).isEqualTo("ready\n");
  }

  @Test
  void readyz_requiredPartMissing_is503AndNamesIt() throws Exception {
    board.post("tpu-env", Finding.waiting("no answer yet", "the server\nis silent", null));
    var answer = get("/readyz");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).isEqualTo("not ready: tpu-env\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/readyz?verbose", "/readyz?verbose=true", "/readyz?x=1&verbose"})
  void readyz_verbose_hasALineForEachPart(String path) throws Exception {
    board.post("tpu-env", Finding.waiting("no answer yet", "the server\nis silent", null));
    board.post("container/telemetry", Finding.failed("gone", "exit 1", "look"));
    assertThat(get(path).body())
        .isEqualTo(
            """
            [-] tpu-env waiting: no answer yet: the server is silent
            [-] container/telemetry failed (not required): gone: exit 1
            not ready: tpu-env
            """);
    board.post("tpu-env", Finding.ok("written"));
    assertThat(get(path).body()).startsWith("[+] tpu-env ok: written\n").endsWith("ready\n");
  }

  @Test
  void status_isTheBoardAsJson() throws Exception {
    var answer = get("/status");
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    var document = new StatusJson().read(answer.body());
    assertThat(document.ready()).isTrue();
    assertThat(document.version()).isEqualTo("0.1.0");
    assertThat(document.started()).matches("20[0-9]{2}-.*Z");
    assertThat(document.parts())
        .extracting(StatusDocument.PartStatus::name)
        .containsExactly("tpu-env", "container/telemetry");
  }

  @Test
  void metrics_areTheBoard() throws Exception {
    board.post("tpu-env", Finding.failed("gone", "deleted", "nothing"));
    stuck.add("devices");
    var answer = get("/metrics");
    assertThat(answer.headers().firstValue("content-type").orElseThrow())
        .startsWith("text/plain; version=0.0.4");
    long since = time.instant().getEpochSecond();
    assertThat(answer.body())
        .contains("tpu_bootd_build_info{version=\"0.1.0\"} 1")
        .contains("tpu_bootd_ready 0.0")
        .contains("tpu_bootd_host_ready 0.0")
        .contains("tpu_bootd_stuck_loops 1.0")
        .contains("tpu_bootd_part_state{part=\"tpu-env\",state=\"failed\"} 1.0")
        .contains("tpu_bootd_part_state{part=\"tpu-env\",state=\"ok\"} 0.0")
        .contains("tpu_bootd_part_required{part=\"container/telemetry\"} 0.0")
        .contains("tpu_bootd_part_attempts{part=\"tpu-env\"} 1.0")
        .containsPattern("process_start_time_seconds [0-9.]+(E9)?\n")
        .containsPattern("tpu_bootd_part_since_timestamp_seconds\\{part=\"tpu-env\"} [0-9.]+E9");
    String value =
        answer
            .body()
            .lines()
            .filter(line -> line.startsWith("tpu_bootd_part_since_timestamp_seconds{part=\"tpu-"))
            .map(line -> line.substring(line.indexOf(' ') + 1))
            .findFirst()
            .orElseThrow();
    assertThat(Double.parseDouble(value)).isEqualTo((double) since);
  }

  @Test
  void metrics_openMetricsWhenAskedFor() throws Exception {
    var answer = get("/metrics", "Accept", "application/openmetrics-text; version=1.0.0");
    assertThat(answer.headers().firstValue("content-type").orElseThrow())
        .startsWith("application/openmetrics-text");
    assertThat(answer.body()).endsWith("# EOF\n");
  }

  @Test
  void index_listsWhatThereIs() throws Exception {
    assertThat(get("/").body()).contains("/livez", "/readyz", "/status", "/metrics");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/nothing", "/livez/", "/livezz", "/LIVEZ", "//livez/.."})
  void otherPaths_are404(String path) throws Exception {
    assertThat(get(path).statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
  void otherMethods_are405(String method) throws Exception {
    var answer = ask(method, "/livez");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("allow")).contains("GET, HEAD");
  }

  @Test
  void head_isGetWithoutTheBody() throws Exception {
    var answer = ask("HEAD", "/livez");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
    assertThat(answer.headers().firstValue("content-length")).contains("3");
  }

  @ParameterizedTest
  @CsvSource({
    "GET * HTTP/1.1, HTTP/1.1 404",
    "GET http://127.0.0.1/livez HTTP/1.1, HTTP/1.1 200",
    "nonsense, HTTP/1.1 400",
  })
  void oddRequests_areAnswered(String request, String answer) throws Exception {
    try (var socket = connect()) {
      socket
          .getOutputStream()
          .write(
              (request + "\r\nHost: x\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith(answer);
    }
  }

  @Test
  void tooLargeHeaders_areRefused() throws Exception {
    String large = "x".repeat(40_000);
    try (var socket = connect()) {
      socket
          .getOutputStream()
          .write(
              ("GET /livez HTTP/1.1\r\nHost: x\r\nX-Large: " + large + "\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().read(new byte[12])).isLessThan(0);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  private Socket connect() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port().orElseThrow());
    socket.setSoTimeout(20_000);
    return socket;
  }

  @Test
  void slowClients_keepNobodyElseWaiting() throws Exception {
    var slow = new ArrayList<Socket>();
    try {
      for (int i = 0; i < 100; i++) {
        var socket = connect();
        slow.add(socket);
        socket.getOutputStream().write("GET /livez HT".getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(get("/livez").statusCode()).isEqualTo(200);
      assertThat(pass(endpoint).state()).isEqualTo(State.OK);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void pass_again_keepsTheSameListener() throws Exception {
    int port = endpoint.port().orElseThrow();
    Finding found = pass(endpoint);
    assertThat(found.facts()).isEqualTo(Map.of("url", "http://127.0.0.1:" + port));
    assertThat(endpoint.port()).hasValue(port);
    assertThat(endpoint.plan().steps()).isEmpty();
  }

  @Test
  void plan_beforeTheFirstPass_listensOnNothing() {
    var other = endpoint(new HealthConfig(true, "127.0.0.1", 0));
    assertThat(other.plan().steps())
        .singleElement()
        .satisfies(step -> {
          assertThat(step.what()).isEqualTo("listen on http://127.0.0.1:0");
        });
    assertThat(other.port()).isEmpty();
  }

  @Test
  void portTaken_isAFindingThatNamesTheHolderAndHealsItself() throws Exception {
    HealthEndpoint other;
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      other = endpoint(new HealthConfig(true, "127.0.0.1", taken.getLocalPort()));
      Finding found = pass(other);
      assertThat(found.state()).isEqualTo(State.FAILED);
      assertThat(found.summary())
          .isEqualTo("cannot listen on http://127.0.0.1:" + taken.getLocalPort());
      assertThat(found.cause())
          .contains("in use")
          .contains("the port is held by ")
          .endsWith("(pid " + ProcessHandle.current().pid() + ")");
    }
    try (other) {
      assertThat(pass(other).state()).isEqualTo(State.OK);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "", "256.1.1.1"})
  void addressThatIsNone_isAFinding(String address) throws Exception {
    Finding found = pass(endpoint(new HealthConfig(true, address, 0)));
    assertThat(found.state()).isEqualTo(State.FAILED);
    assertThat(found.cause()).contains("'" + address + "', which is no IP address");
  }

  @Test
  void addressOfAnotherMachine_isAFinding() throws Exception {
    Finding found = pass(endpoint(new HealthConfig(true, "192.0.2.1", 0)));
    assertThat(found.state()).isEqualTo(State.FAILED);
  }

  @Test
  void everyAddress_isCheckedOverLoopback() throws Exception {
    try (var other = endpoint(new HealthConfig(true, "0.0.0.0", 0))) {
      pass(other);
      assertThat(pass(other).state()).isEqualTo(State.OK);
    }
  }

  @Test
  void switchedOff_isInertAndListensOnNothing() throws Exception {
    var off = endpoint(new HealthConfig(false, "127.0.0.1", 0));
    assertThat(pass(off).state()).isEqualTo(State.INERT);
    assertThat(off.port()).isEmpty();
  }

  @Test
  void part_isNotRequired() {
    assertThat(endpoint.part()).isEqualTo(new Part("health", Part.Group.SELF, false));
  }
}
