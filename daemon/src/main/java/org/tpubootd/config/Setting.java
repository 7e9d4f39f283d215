package org.tpubootd.config;

/**
 * One effective setting.
 *
 * @param key dotted, as in {@code metadata.host}
 * @param value as YAML would write it
 * @param origin file and line that it comes from, or "default"
 */
public record Setting(String key, String value, String origin) {}
