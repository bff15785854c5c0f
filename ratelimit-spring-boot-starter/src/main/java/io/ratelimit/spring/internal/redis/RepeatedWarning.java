package io.ratelimit.spring.internal.redis;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Warns of a lasting problem: at once, when its reason changes, and every five minutes. Thread-safe. */
final class RepeatedWarning {

    static final long INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final Warning warning;
    private final Set<String> reasons = new HashSet<>();
    private long lastNanos = System.nanoTime();

    RepeatedWarning(MessageCode code) {
        this.warning = new Warning(code);
    }

    /** @param reason warned of once in five minutes */
    synchronized void log(String reason, String message, Object... arguments) {
        long now = System.nanoTime();
        if (now - lastNanos >= TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS)) {
            lastNanos = now;
            reasons.clear();
        }
        if (reasons.add(reason)) {
            warning.log(message, arguments);
        }
    }
}
