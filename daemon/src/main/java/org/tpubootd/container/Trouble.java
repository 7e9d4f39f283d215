package org.tpubootd.container;

import org.tpubootd.core.Finding;

/** What people read of a call to the engine that failed. */
final class Trouble {

  private Trouble() {}

  /** What a call to the engine that failed means for a container. */
  static Finding of(EngineException e) {
    String cause = String.valueOf(e.getMessage());
    return switch (e) {
      case EngineException.Unreachable _ ->
          Finding.waiting(
              "waiting for the engine",
              cause,
              "start the engine if it does not come by itself: systemctl start docker");
      case EngineException.Hung _ ->
          Finding.waiting(
              "waiting for the engine, which hangs",
              cause,
              "see journalctl -u docker; systemctl restart docker if it stays so");
      case EngineException.NotFound _ ->
          Finding.waiting("something changed meanwhile, looking again", cause, null);
      case EngineException.Conflict _ ->
          Finding.waiting("something changed meanwhile, looking again", cause, null);
      case EngineException.Refused _ ->
          Finding.failed(
              "the engine refused", cause, advice(e.reason, "see the cause; it is tried again"));
      case EngineException.Unexpected _ ->
          Finding.failed(
              "a call to the engine broke on a defect",
              cause,
              "report it with the stack trace from the log; it is tried again");
      case EngineException.Unsupported _ ->
          Finding.failed(
              "the engine's address is not supported",
              cause,
              "set containers.engine, or DOCKER_HOST, to unix:///path/to/socket");
    };
  }

  /** A full disk has a remedy of its own, whatever the engine was doing. */
  static String advice(String said, String otherwise) {
    return said.contains(EngineErrors.DISK_FULL) ? EngineErrors.MAKE_ROOM : otherwise;
  }
}
