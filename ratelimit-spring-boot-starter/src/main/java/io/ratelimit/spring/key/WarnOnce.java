package io.ratelimit.spring.key;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Logs at WARN the first time and at DEBUG after that, because a client that causes a warning with each request must not
 * fill the log. Thread-safe.
 */
public final class WarnOnce {

    private final Logger log;
    private final AtomicBoolean warned = new AtomicBoolean();

    public WarnOnce(Logger log) {
        this.log = log;
    }

    /** As SLF4J formats it; no argument may be, or quote, a subject. */
    public void log(String message, Object... arguments) {
        log.atLevel(warned.getAndSet(true) ? Level.DEBUG : Level.WARN).log(message, arguments);
    }
}
