package io.ratelimit.spring.redis;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Warns of a lasting problem: at once, when its reason changes, and every five minutes. Used by one thread. */
final class RepeatedWarning {

    static final long INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final Logger log;
    private final Set<String> reasons = new HashSet<>();
    private long lastNanos = System.nanoTime();

    RepeatedWarning(Logger log) {
        this.log = log;
    }

    /** @param reason warned of once in five minutes */
    void log(String reason, String message, Object... arguments) {
        long now = System.nanoTime();
        if (now - lastNanos >= TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS)) {
            lastNanos = now;
            reasons.clear();
        }
        if (reasons.add(reason)) {
            log.warn(message, arguments);
        }
    }
}
