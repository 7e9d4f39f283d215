package org.tpubootd.testbed;

import java.time.Duration;
import java.util.Map;

/** What the {@link FakeMetadata} does instead of answering well. */
public sealed interface MetadataFault {

  /** Answers with this status, an HTML page and these headers besides the usual ones. */
  record Status(int code, Map<String, String> headers) implements MetadataFault {
    public Status {
      headers = Map.copyOf(headers);
    }

    public Status(int code) {
      this(code, Map.of());
    }
  }

  /** Answers well, but so much later. */
  record Delay(Duration duration) implements MetadataFault {}

  /** Never answers, until the fault is taken away; then the connection is closed. */
  record Hang() implements MetadataFault {}

  /** Closes the connection without an answer. */
  record Reset() implements MetadataFault {}

  /** Promises the whole body and closes the connection after half of it. */
  record CutBody() implements MetadataFault {}

  /** Answers well without the header Metadata-Flavor. */
  record NoFlavor() implements MetadataFault {}

  /** Answers 200 with an HTML page, as a captive portal does. */
  record HtmlPage() implements MetadataFault {}

  /** Answers 200 with so many bytes of text. */
  record BodyOf(int bytes) implements MetadataFault {}

  /** Sends the client elsewhere. */
  record Redirect(String location) implements MetadataFault {}

  /** Sends the body byte by byte, with a pause before each. */
  record Drip(Duration pause) implements MetadataFault {}

  /** Answers every long poll at once, as a server does that knows no wait_for_change. */
  record NoWait() implements MetadataFault {}
}
