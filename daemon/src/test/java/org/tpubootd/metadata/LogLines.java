package org.tpubootd.metadata;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What one class logs while this is open. */
final class LogLines implements AutoCloseable {

  private final Logger logger;
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  LogLines(Class<?> source) {
    logger = (Logger) LoggerFactory.getLogger(source);
    appender.start();
    logger.addAppender(appender);
  }

  /** {@code LEVEL message}, in order. */
  List<String> lines() {
    return appender.list.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
