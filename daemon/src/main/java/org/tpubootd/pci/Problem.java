package org.tpubootd.pci;

/**
 * What keeps a function, or all of them, from being usable.
 *
 * @param title a few words for the summary: {@code the IOMMU is off}
 * @param cause a sentence from outside in, without the function's address before it
 * @param action what a person can do
 * @param pending whether nothing is wrong yet: the next pass does it
 */
record Problem(String title, String cause, String action, boolean pending) {

  static Problem of(String title, String cause, String action) {
    return new Problem(title, cause, action, false);
  }

  /** Something that a pass does by itself. */
  static Problem pending(String cause) {
    return new Problem("not bound yet", cause, "nothing: it is done in the next pass", true);
  }
}
