package org.tpubootd.health;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leads each request to its page: exact paths, GET and HEAD only. */
final class Pages implements HttpHandler {

  private static final Logger log = LoggerFactory.getLogger(Pages.class);

  private final Map<String, Page> pages;

  /**
   * @param pages by path, such as {@code /livez}
   */
  Pages(Map<String, Page> pages) {
    this.pages = Map.copyOf(pages);
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      send(exchange, answer(exchange));
    }
  }

  private Answer answer(HttpExchange exchange) {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      return Answer.text(
          Answer.METHOD_NOT_ALLOWED, "only GET and HEAD are answered: this endpoint only tells\n");
    }
    String path = exchange.getRequestURI().getPath();
    Page page = pages.get(path);
    if (page == null) {
      return Answer.text(Answer.NOT_FOUND, "no such page; GET / lists what there is\n");
    }
    try {
      return page.answer(question(exchange));
    } catch (IOException | RuntimeException e) {
      // The server would close the connection without a word and without a line in the log.
      log.error("{} broke on a defect of tpu-bootd", path, e);
      return Answer.text(Answer.BROKEN, "a defect of tpu-bootd; its log has the stack trace\n");
    }
  }

  private static Page.Question question(HttpExchange exchange) {
    String query = Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), "");
    boolean verbose =
        Arrays.stream(query.split("&"))
            .anyMatch(one -> one.equals("verbose") || one.startsWith("verbose="));
    String accept = Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Accept"), "");
    return new Page.Question(verbose, accept);
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    var headers = exchange.getResponseHeaders();
    headers.set("Content-Type", answer.contentType());
    headers.set("Cache-Control", "no-store");
    if (exchange.getRequestMethod().equals("HEAD")) {
      headers.set("Content-Length", Integer.toString(body.length));
      exchange.sendResponseHeaders(answer.status(), -1);
    } else {
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
