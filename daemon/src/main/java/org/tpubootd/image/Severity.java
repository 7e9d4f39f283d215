package org.tpubootd.image;

/** How bad it is what a check has found. */
public enum Severity {
  OK("ok"),
  /** A VM booted from this works, but not as well as it could, or not under all conditions. */
  WARNING("warning"),
  /** A VM booted from this is no working TPU host. */
  ERROR("error"),
  /** The configuration or the tree leaves nothing to check. */
  NOT_APPLICABLE("n/a");

  private final String word;

  Severity(String word) {
    this.word = word;
  }

  /** The word that people and machines read. */
  public String word() {
    return word;
  }
}
