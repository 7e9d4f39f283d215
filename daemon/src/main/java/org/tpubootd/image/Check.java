package org.tpubootd.image;

import java.io.IOException;
import java.util.List;

/** One concern of an image. */
interface Check {

  /** What its results are called. */
  String name();

  /**
   * Looks at the tree.
   *
   * @throws IOException where a file is there and cannot be read; the message names it
   */
  List<Result> look() throws IOException, InterruptedException;
}
