package io.ratelimit.spring.internal;

import io.ratelimit.spring.MessageCode;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs warnings with a code, on a logger of that code's own, such as {@code io.ratelimit.RL-551}, so that each kind of
 * warning can be silenced alone. Nothing else logs at WARN. Thread-safe.
 */
public final class Warning {

    private final String prefix;
    private final Logger log;
    private final AtomicBoolean logged = new AtomicBoolean();

    public Warning(MessageCode code) {
        this.prefix = code + ": ";
        this.log = LoggerFactory.getLogger("io.ratelimit." + code);
    }

    /** Logs at WARN, as SLF4J formats it; no argument may be, or quote, a subject. */
    public void log(String message, @Nullable Object... arguments) {
        log.warn(prefix + message, arguments);
    }

    /**
     * Logs at WARN the first time and at DEBUG after that, because a client that causes a warning with each request must
     * not fill the log.
     */
    public void logOnce(String message, @Nullable Object... arguments) {
        if (logged.getAndSet(true)) {
            log.debug(prefix + message, arguments);
        } else {
            log(message, arguments);
        }
    }
}
