package org.tpubootd;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.slf4j.LoggerFactory;
import org.tpubootd.config.LogLevel;
import org.tpubootd.container.Engine;

/**
 * Sets Logback up in code, found by it as a service: reading logback.xml would cost 55 ms of each
 * start. Lines go to standard error; under systemd each begins with its journal priority and has no
 * time of its own, since the journal has one.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

  private static final String OURS = "org.tpubootd";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    var layout = new LineLayout(System.getenv("JOURNAL_STREAM") != null);
    layout.setContext(context);
    layout.start();
    var encoder = new LayoutWrappingEncoder<ILoggingEvent>();
    encoder.setContext(context);
    encoder.setLayout(layout);
    encoder.start();
    var appender = new ConsoleAppender<ILoggingEvent>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(appender);
    context.getLogger(OURS).setLevel(Level.INFO);
    // docker-java logs an error with a stack trace for each event stream that ends, which our own
    // code tells as a condition; and below WARN it writes whole requests, a registry's log-in too.
    context.getLogger(Engine.LIBRARY_LOGGER).setLevel(Level.OFF);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Sets how much of our own is logged. */
  public static void level(LogLevel level) {
    ((Logger) LoggerFactory.getLogger(OURS)).setLevel(Level.valueOf(level.name()));
  }

  /** One line an event: a priority or a time, then the message. */
  static final class LineLayout extends LayoutBase<ILoggingEvent> {

    private final boolean journal;

    LineLayout(boolean journal) {
      this.journal = journal;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
      var text = new StringBuilder();
      text.append(event.getFormattedMessage());
      if (event.getThrowableProxy() != null) {
        text.append('\n').append(ThrowableProxyUtil.asString(event.getThrowableProxy()).strip());
      }
      if (journal) {
        // Each line of a stack trace is an entry of its own in the journal.
        String priority = "<" + priority(event.getLevel()) + ">";
        return priority + text.toString().replace("\n", "\n" + priority) + "\n";
      }
      Instant time = event.getInstant().truncatedTo(ChronoUnit.MILLIS);
      return "%s %-5s %s%n".formatted(time, event.getLevel(), text);
    }

    private static int priority(Level level) {
      return switch (level.toInt()) {
        case Level.ERROR_INT -> 3;
        case Level.WARN_INT -> 4;
        case Level.INFO_INT -> 6;
        default -> 7;
      };
    }
  }
}
