package org.tpubootd.env;

import org.tpubootd.metadata.Reading;

/** Words for readings that tell nothing themselves. */
final class Readings {

  private Readings() {}

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
