package org.tpubootd.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Writes one answer of the {@link FakeMetadata}, well or badly. */
final class MetadataReply {

  private final HttpExchange exchange;
  private boolean flavor = true;

  MetadataReply(HttpExchange exchange) {
    this.exchange = exchange;
  }

  HttpExchange exchange() {
    return exchange;
  }

  MetadataReply withoutFlavor() {
    flavor = false;
    return this;
  }

  MetadataReply with(Map<String, String> headers) {
    headers.forEach(exchange.getResponseHeaders()::set);
    return this;
  }

  /** The page, or 404 where there is none. */
  void page(Optional<MetadataTree.Page> page) throws IOException {
    if (page.isEmpty()) {
      page(404);
      return;
    }
    byte[] body = head(page.get());
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }

  /** An HTML page for people. */
  void page(int status) throws IOException {
    byte[] body = html(status).getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=UTF-8");
    send(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private String html(int status) {
    return """
    <!DOCTYPE html>
    <html lang=en>
      <meta charset=utf-8>
      <title>Error %d</title>
      <p><b>%d.</b> <ins>That's an error.</ins>
      <p>The requested URL <code>%s</code> was answered with an error.
    </html>
    """
        .formatted(status, status, exchange.getRequestURI());
  }

  /** Closes the connection without a word. */
  void reset() {
    exchange.close();
  }

  void cut(Optional<MetadataTree.Page> page) throws IOException {
    if (page.isEmpty()) {
      reset();
      return;
    }
    byte[] body = head(page.get());
    OutputStream out = exchange.getResponseBody();
    out.write(body, 0, body.length / 2);
    out.flush();
    reset();
  }

  void drip(Optional<MetadataTree.Page> page, Duration pause)
      throws IOException, InterruptedException {
    if (page.isEmpty()) {
      page(404);
      return;
    }
    OutputStream out = exchange.getResponseBody();
    for (byte one : head(page.get())) {
      Thread.sleep(pause);
      out.write(one);
      out.flush();
    }
  }

  /** Sends the head of an answer with a page, and gives the body that is to follow. */
  private byte[] head(MetadataTree.Page page) throws IOException {
    byte[] body = page.text().getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", page.contentType());
    exchange.getResponseHeaders().set("ETag", page.etag());
    send(200, body.length);
    return body;
  }

  private void send(int status, int length) throws IOException {
    if (flavor) {
      exchange.getResponseHeaders().set("Metadata-Flavor", "Google");
    }
    exchange.getResponseHeaders().set("Server", "Metadata Server for VM");
    // The JDK's server takes 0 for "not known" and -1 for "none".
    exchange.sendResponseHeaders(status, length == 0 ? -1 : length);
  }
}
