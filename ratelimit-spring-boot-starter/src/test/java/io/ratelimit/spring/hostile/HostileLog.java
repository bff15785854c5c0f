package io.ratelimit.spring.hostile;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** What is logged while this is open: of the limiter at DEBUG and above, of all others at INFO and above. */
final class HostileLog implements AutoCloseable {

    record Line(String logger, String text) {}

    private final Logger everybody = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger limiter = (Logger) LoggerFactory.getLogger("io.ratelimit");
    private final Level everybodyBefore = everybody.getLevel();
    private final Level limiterBefore = limiter.getLevel();
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    HostileLog() {
        appender.start();
        everybody.addAppender(appender);
        everybody.setLevel(Level.INFO);
        limiter.addAppender(appender);
        limiter.setLevel(Level.DEBUG);
        limiter.setAdditive(false); // a line for most of a hundred thousand requests is none for the console
    }

    List<Line> ofLimiter() {
        return lines().filter(HostileLog::isOfLimiter).toList();
    }

    List<Line> ofOthers() {
        return lines().filter(line -> !isOfLimiter(line)).toList();
    }

    @Override
    public void close() {
        everybody.detachAppender(appender);
        everybody.setLevel(everybodyBefore);
        limiter.detachAppender(appender);
        limiter.setLevel(limiterBefore);
        limiter.setAdditive(true);
    }

    private Stream<Line> lines() {
        return List.copyOf(appender.list).stream().map(event -> new Line(event.getLoggerName(), text(event)));
    }

    private static String text(ILoggingEvent event) {
        String message = event.getFormattedMessage();
        return event.getThrowableProxy() == null
                ? message
                : message + '\n' + ThrowableProxyUtil.asString(event.getThrowableProxy());
    }

    private static boolean isOfLimiter(Line line) {
        return line.logger.startsWith("io.ratelimit");
    }
}
