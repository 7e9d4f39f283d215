package org.tpubootd.tests.container;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.tpubootd.container.Engine;

/** What the containers' room logs while this is open, without what is for debugging. */
final class LogLines implements AutoCloseable {

  private final Logger logger = (Logger) LoggerFactory.getLogger(Engine.class.getPackageName());
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  LogLines() {
    appender.start();
    logger.addAppender(appender);
  }

  List<String> lines() {
    return List.copyOf(appender.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
