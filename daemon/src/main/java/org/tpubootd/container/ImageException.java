package org.tpubootd.container;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What was asked of an image could not be done; the message is a sentence. */
public final class ImageException extends IOException {

  private static final long serialVersionUID = 1;

  private final String action;
  private final boolean engineIsAway;

  private ImageException(
      String message, String action, boolean engineIsAway, @Nullable Throwable cause) {
    super(message, cause);
    this.action = action;
    this.engineIsAway = engineIsAway;
  }

  ImageException(String message, String action) {
    this(message, action, false, null);
  }

  static ImageException of(PullFailure e) {
    return new ImageException(String.valueOf(e.getMessage()), e.kind.action, false, e);
  }

  static ImageException of(EngineException e) {
    String action =
        switch (e) {
          case EngineException.Unreachable _ ->
              "start the engine (systemctl start docker), or name another one's socket in"
                  + " DOCKER_HOST";
          case EngineException.Hung _ -> "see journalctl -u docker; systemctl restart docker";
          case EngineException.Unsupported _ ->
              "set containers.engine, or DOCKER_HOST, to unix:///path/to/socket";
          default -> "see the cause";
        };
    return new ImageException(
        String.valueOf(e.getMessage()),
        action,
        e.engineIsAway() || e instanceof EngineException.Unsupported,
        e);
  }

  /** What a person can do. */
  public String action() {
    return action;
  }

  /** Whether nothing else that needs the engine has to be tried, either. */
  public boolean engineIsAway() {
    return engineIsAway;
  }
}
