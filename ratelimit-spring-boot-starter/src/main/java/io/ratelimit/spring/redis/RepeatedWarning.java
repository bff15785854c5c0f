package io.ratelimit.spring.redis;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Warns of what lasts: at once, and again every five minutes. Used by one thread. */
final class RepeatedWarning {

    static final long INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final Logger log;
    private boolean warned;
    private long lastNanos;

    RepeatedWarning(Logger log) {
        this.log = log;
    }

    void log(String message, Object... arguments) {
        long now = System.nanoTime();
        if (warned && now - lastNanos < TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS)) {
            return;
        }
        warned = true;
        lastNanos = now;
        log.warn(message, arguments);
    }
}
