package org.tpubootd.config;

/**
 * The configuration is wrong; the message names file, line and key, and says what would be right.
 */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1;

  ConfigException(String message) {
    super(message);
  }
}
