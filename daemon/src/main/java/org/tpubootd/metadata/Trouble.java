package org.tpubootd.metadata;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Locale;

/** The JDK's network errors as people say them. */
final class Trouble {

  private Trouble() {}

  static String words(IOException e) {
    String message = e.getMessage();
    return switch (e) {
      case UnknownHostException _ -> "the name cannot be resolved";
      case SocketTimeoutException _ when "Connect timed out".equalsIgnoreCase(message) ->
          "no connection in the time given";
      case SocketTimeoutException _ -> "no answer in the time given";
      case IOException _ when "Premature EOF".equals(message) -> "the answer broke off";
      case IOException _ when message == null -> e.getClass().getSimpleName();
      // "Connection refused", "Connection reset", "Unexpected end of file from server": all begin
      // with a capital that has no place inside a sentence.
      default -> message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    };
  }
}
