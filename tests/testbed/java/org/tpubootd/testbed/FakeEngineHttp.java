package org.tpubootd.testbed;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.URLDecoder;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/1.1 over a Unix socket, which the JDK's own server does not do: as much of it as the clients
 * of an engine use. A virtual thread for each connection.
 */
final class FakeEngineHttp implements Closeable {

  private static final Logger log = LoggerFactory.getLogger(FakeEngineHttp.class);

  /**
   * What was asked.
   *
   * @param path without the version in front
   * @param version as in the path; empty where there was none
   * @param headers by their names in lower case
   * @param raw the body, a character for each byte
   */
  record Request(
      Instant at,
      String method,
      String version,
      String path,
      Map<String, String> query,
      Map<String, String> headers,
      String raw) {

    String body() {
      return new String(bytes(), UTF_8);
    }

    byte[] bytes() {
      return raw.getBytes(ISO_8859_1);
    }
  }

  /** Answers one request. */
  interface Handler {
    void handle(Request request, Response response) throws IOException, InterruptedException;
  }

  private final Path socket;
  private final Handler handler;
  private final ServerSocketChannel server;
  private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

  FakeEngineHttp(Path socket, Handler handler) throws IOException {
    this.socket = socket;
    this.handler = handler;
    Files.deleteIfExists(socket);
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofVirtual().name("fake-engine").start(this::accept);
  }

  /** Nobody listens any more, the socket is gone, and every connection is cut. */
  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(socket);
    for (SocketChannel connection : connections) {
      connection.close();
    }
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel connection = server.accept();
        connections.add(connection);
        if (!server.isOpen()) {
          connection.close();
        }
        Thread.ofVirtual().name("fake-engine-connection").start(() -> serve(connection));
      } catch (IOException e) {
        log.trace("the fake engine accepts no more", e);
      }
    }
  }

  private void serve(SocketChannel connection) {
    try (connection) {
      var in = new BufferedInputStream(Channels.newInputStream(connection));
      OutputStream out = Channels.newOutputStream(connection);
      while (true) {
        Request request = read(in);
        if (request == null) {
          return;
        }
        var response = new Response(out);
        handler.handle(request, response);
        response.end();
        if ("close".equalsIgnoreCase(request.headers().get("connection"))) {
          return;
        }
      }
    } catch (IOException | InterruptedException e) {
      log.trace("a connection of the fake engine ended", e);
    } finally {
      connections.remove(connection);
    }
  }

  private static Request read(InputStream in) throws IOException {
    String start = line(in);
    if (start.isEmpty()) {
      return null;
    }
    String[] words = start.split(" ");
    var headers = new TreeMap<String, String>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      headers.put(
          header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
    }
    String body = new String(body(in, headers), ISO_8859_1);
    int question = words[1].indexOf('?');
    String path = question < 0 ? words[1] : words[1].substring(0, question);
    String version = "";
    if (path.matches("/v\\d+\\.\\d+/.*")) {
      int slash = path.indexOf('/', 1);
      version = path.substring(2, slash);
      path = path.substring(slash);
    }
    return new Request(
        Instant.now(),
        words[0],
        version,
        URLDecoder.decode(path, UTF_8),
        query(question < 0 ? "" : words[1].substring(question + 1)),
        headers,
        body);
  }

  private static Map<String, String> query(String text) {
    var query = new LinkedHashMap<String, String>();
    for (String pair : text.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        query.put(
            URLDecoder.decode(pair.substring(0, equals), UTF_8),
            URLDecoder.decode(pair.substring(equals + 1), UTF_8));
      }
    }
    return query;
  }

  private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
    if (!"chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      return in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
    }
    var body = new ByteArrayOutputStream();
    while (true) {
      int size = Integer.parseInt(line(in), 16);
      body.write(in.readNBytes(size));
      line(in);
      if (size == 0) {
        return body.toByteArray();
      }
    }
  }

  /** Empty at the end of the stream, as after an empty line. */
  private static String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        if (line.size() > 0) {
          throw new EOFException("in the middle of a line");
        }
        break;
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(ISO_8859_1);
  }

  /** One answer: whole, or in chunks as they come. */
  static final class Response {

    private final OutputStream out;
    private boolean chunked;

    Response(OutputStream out) {
      this.out = out;
    }

    void send(int status, String type, String body, String... headers) throws IOException {
      byte[] bytes = body.getBytes(UTF_8);
      head(status, type, "Content-Length: " + bytes.length, headers);
      out.write(bytes);
      out.flush();
    }

    /** For 204 and 304, which have no body. */
    void sendEmpty(int status) throws IOException {
      head(status, "text/plain", "X-Empty: true");
      out.flush();
    }

    /** The head goes out at once, as the engine's does for events. */
    void begin(String type) throws IOException {
      head(200, type, "Transfer-Encoding: chunked");
      chunked = true;
    }

    void chunk(byte[] bytes) throws IOException {
      if (bytes.length > 0) {
        var chunk = new ByteArrayOutputStream();
        chunk.writeBytes((Integer.toHexString(bytes.length) + "\r\n").getBytes(ISO_8859_1));
        chunk.writeBytes(bytes);
        chunk.writeBytes("\r\n".getBytes(ISO_8859_1));
        out.write(chunk.toByteArray());
        out.flush();
      }
    }

    void chunk(String text) throws IOException {
      chunk(text.getBytes(UTF_8));
    }

    private void end() throws IOException {
      if (chunked) {
        out.write("0\r\n\r\n".getBytes(ISO_8859_1));
        out.flush();
      }
    }

    private void head(int status, String type, String length, String... headers)
        throws IOException {
      var head = new StringBuilder("HTTP/1.1 ").append(status).append(" \r\n");
      head.append("Content-Type: ").append(type).append("\r\n").append(length).append("\r\n");
      for (String header : headers) {
        head.append(header).append("\r\n");
      }
      out.write(head.append("\r\n").toString().getBytes(ISO_8859_1));
      out.flush();
    }
  }
}
