package org.tpubootd.health;

/** What a page answers. */
record Answer(int status, String contentType, String body) {

  static final int OK = 200;
  static final int NOT_FOUND = 404;
  static final int METHOD_NOT_ALLOWED = 405;
  static final int BROKEN = 500;
  static final int UNAVAILABLE = 503;

  static Answer text(int status, String body) {
    return new Answer(status, "text/plain; charset=utf-8", body);
  }
}
