package io.ratelimit.spring.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the limiter, or another, logs while this is open, at DEBUG and above. */
public final class LogCapture implements AutoCloseable {

    private final Logger logger;
    private final Level levelBefore;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private LogCapture(String logger) {
        this.logger = (Logger) LoggerFactory.getLogger(logger);
        this.levelBefore = this.logger.getLevel();
        appender.start();
        this.logger.setLevel(Level.DEBUG);
        this.logger.addAppender(appender);
    }

    public static LogCapture start() {
        return of("io.ratelimit");
    }

    /** Captures what this logger and those below it log. */
    public static LogCapture of(String logger) {
        return new LogCapture(logger);
    }

    /** Messages with the stack traces they came with. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (ILoggingEvent event : List.copyOf(appender.list)) {
            text.append(event.getLevel())
                    .append(' ')
                    .append(event.getFormattedMessage())
                    .append('\n');
            if (event.getThrowableProxy() != null) {
                text.append(ThrowableProxyUtil.asString(event.getThrowableProxy()))
                        .append('\n');
            }
        }
        return text.toString();
    }

    public List<String> messages(Level level) {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(levelBefore);
    }
}
