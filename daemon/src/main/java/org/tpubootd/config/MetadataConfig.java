package org.tpubootd.config;

import java.time.Duration;

/**
 * How the metadata server is asked.
 *
 * @param host name or address, with an optional port. The address is the default, not the name: it
 *     works before the resolver does. GCE_METADATA_HOST in the environment goes first.
 * @param connectTimeout limit for the connection
 * @param readTimeout limit for an answer that the server need not wait for
 * @param watchTimeout how long the server is asked to hold a {@code wait_for_change}; the client
 *     waits 10 seconds longer
 * @param longestRetry no two tries are further apart
 */
public record MetadataConfig(
    String host,
    Duration connectTimeout,
    Duration readTimeout,
    Duration watchTimeout,
    Duration longestRetry) {

  /** A name, an IPv4 address, or an IPv6 address in brackets where a port follows. */
  private static final String HOST =
      "(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::[0-9]{1,5})?|[0-9A-Fa-f:.]+";

  static MetadataConfig from(Section section) {
    return new MetadataConfig(
        section.pattern("host", "169.254.169.254", HOST, "a host, or host:port"),
        section.duration("connect-timeout", Duration.ofSeconds(2)),
        section.duration("read-timeout", Duration.ofSeconds(5)),
        section.duration("watch-timeout", Duration.ofSeconds(60)),
        section.duration("longest-retry", Duration.ofSeconds(30)));
  }
}
