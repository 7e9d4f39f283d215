package org.tpubootd.config;

/**
 * The health endpoint.
 *
 * @param address IP address to listen on
 * @param port port to listen on; 0 lets the kernel choose, for tests
 */
public record HealthConfig(boolean enabled, String address, int port) {

  static HealthConfig from(Section section) {
    return new HealthConfig(
        section.flag("enabled", true),
        section.address("address", "127.0.0.1"),
        section.integer("port", 9595, 0, 65535));
  }
}
