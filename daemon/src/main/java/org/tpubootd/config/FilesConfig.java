package org.tpubootd.config;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The files that are written for others to read.
 *
 * @param owner user, and group of that user, that own tpu-env and workload.env; root where there is
 *     no such user
 * @param environment variables kept in /etc/environment, in this order. A key set to null in a
 *     later file is not managed.
 */
public record FilesConfig(String owner, Map<String, String> environment) {

  /** What Google's page sets, by its sections on environment variables and Cloud Storage. */
  static final Map<String, String> PAGE_ENVIRONMENT = pageEnvironment();

  private static Map<String, String> pageEnvironment() {
    var variables = new LinkedHashMap<String, String>();
    variables.put("CLOUDSDK_PYTHON", "/usr/bin/python3");
    variables.put("GCS_RESOLVE_REFRESH_SECS", "60");
    variables.put("GCS_REQUEST_CONNECTION_TIMEOUT_SECS", "300");
    variables.put("GCS_METADATA_REQUEST_TIMEOUT_SECS", "300");
    variables.put("GCS_READ_REQUEST_TIMEOUT_SECS", "300");
    variables.put("GCS_WRITE_REQUEST_TIMEOUT_SECS", "600");
    return variables;
  }

  static FilesConfig from(Section section) {
    return new FilesConfig(
        section.text("owner", "tpu-runtime"), section.textMap("environment", PAGE_ENVIRONMENT));
  }
}
