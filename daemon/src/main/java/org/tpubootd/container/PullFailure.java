package org.tpubootd.container;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** An image could not be got onto the host, most often because a pull failed. */
final class PullFailure extends IOException {

  private static final long serialVersionUID = 1;

  /** What a failure comes from, as far as the registry's or the engine's words tell. */
  enum Kind {
    DISK_FULL(EngineErrors.MAKE_ROOM),
    AUTH(
        "give the VM's service account the role artifactregistry.reader on the image's project and"
            + " the VM the scope devstorage.read_only or cloud-platform"),
    NOT_FOUND("check the image's name and tag in the configuration"),
    NETWORK("check that the VM reaches the registry: route, DNS, firewall, Private Google Access"),
    BUSY(
        "nothing: it is tried again; if it stays so, see the registry's quota of requests and its"
            + " own state"),
    STALLED("check the way to the registry"),
    TOO_SLOW("check the way to the registry or raise containers.pull-deadline"),
    LOST("see whether something removes images here, and the engine's own log"),
    OTHER("see the cause");

    final String action;

    Kind(String action) {
      this.action = action;
    }
  }

  private record Sign(Kind kind, List<String> words) {}

  /**
   * In this order, the surer sign first. Docker Hub says "denied" of what is not there; "manifest
   * unknown" comes only after the log-in has passed.
   */
  private static final List<Sign> SIGNS =
      List.of(
          new Sign(Kind.DISK_FULL, List.of(EngineErrors.DISK_FULL)),
          new Sign(
              // Before the log-in: Docker Hub speaks of an "unauthenticated pull rate limit".
              Kind.BUSY,
              List.of(
                  "toomanyrequests",
                  "too many requests",
                  "http status: 429",
                  "http status: 500",
                  "http status: 502",
                  "http status: 503",
                  "http status: 504")),
          new Sign(
              Kind.NETWORK,
              List.of(
                  "dial tcp",
                  "no such host",
                  "timeout",
                  "connection refused",
                  "connection reset",
                  "network is unreachable",
                  "no route to host",
                  "unexpected eof",
                  // Broken off within the head of an answer.
                  "transport connection broken",
                  "server closed idle connection",
                  "broken pipe",
                  "proxyconnect",
                  "x509",
                  "tls:")),
          new Sign(
              Kind.AUTH,
              List.of(
                  "unauthorized",
                  "unauthenticated",
                  "authentication required",
                  "no basic auth credentials",
                  "denied",
                  "forbidden",
                  " 401",
                  " 403")),
          new Sign(
              Kind.NOT_FOUND,
              List.of("manifest unknown", "name unknown", "not found", "does not exist")));

  /** What was asked for: names, digests and addresses hold any word and number, such as a 403. */
  private static final Pattern NAMES = Pattern.compile("\"https?://[^\"]*\"|sha256:[0-9a-f]+");

  final Kind kind;

  final String summary;

  /** Which image and what came back, for behind a summary that says what failed. */
  final String reason;

  PullFailure(ImageName image, Kind kind, String what) {
    this("pulled", image, kind, what);
  }

  private PullFailure(String done, ImageName image, Kind kind, String what) {
    super("the image " + image + " cannot be " + done + ": " + what);
    this.kind = kind;
    this.summary = "the image cannot be " + done;
    this.reason = image + ": " + what;
  }

  /** An archive of it is there, and the engine has no room for what is in it. */
  static PullFailure noRoomFor(ImageName image, Tarballs.Tarball archive, String words) {
    return new PullFailure(
        "loaded", image, Kind.DISK_FULL, "out of " + archive.path() + ": " + words);
  }

  private static String without(ImageName image, String words) {
    String repository = image.repository().toLowerCase(Locale.ROOT);
    String left = words.replace(repository + ":" + image.version().toLowerCase(Locale.ROOT), "");
    // A name of one word may be any word of the message, too.
    return repository.contains("/") ? left.replace(repository, "") : left;
  }

  /** From what the engine said, in the answer's head or in the middle of the stream. */
  static PullFailure said(ImageName image, String words, String login) {
    String said = NAMES.matcher(without(image, words.toLowerCase(Locale.ROOT))).replaceAll("");
    Kind kind =
        SIGNS.stream()
            .filter(sign -> sign.words().stream().anyMatch(said::contains))
            .map(Sign::kind)
            .findFirst()
            // Go's word for a connection that was closed; it comes last, after what was asked for.
            .orElse(said.strip().endsWith("eof") ? Kind.NETWORK : Kind.OTHER);
    return new PullFailure(image, kind, kind == Kind.AUTH ? words + " (" + login + ")" : words);
  }
}
