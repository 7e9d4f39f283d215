package org.tpubootd.env;

import org.tpubootd.core.Finding;
import org.tpubootd.metadata.Reading;

/** Words for readings that tell nothing themselves. */
final class Readings {

  private Readings() {}

  /** On a machine that has no TPU. */
  static Finding noTpuVm(Reading noTpuEnv) {
    return Finding.inert(
        "no TPU VM: there is neither a tpu-env nor a TPU",
        cause(noTpuEnv) + "; no PCI function here is a TPU's");
  }

  static String cause(Reading reading) {
    if (reading.cause() != null) {
      return reading.cause();
    }
    return switch (reading.status()) {
      case PENDING -> "the metadata server has not answered yet";
      case PRESENT -> "the metadata server sent nothing";
      case ABSENT -> "the metadata server says that there is no such attribute (404)";
      case REFUSED -> "the metadata server refused the request";
      case UNREACHABLE -> "the metadata server does not answer";
    };
  }
}
