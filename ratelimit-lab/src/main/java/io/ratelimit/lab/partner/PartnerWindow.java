package io.ratelimit.lab.partner;

import io.ratelimit.lab.Rate;
import java.util.ArrayDeque;
import java.util.Deque;

/** Counts as a partner does. Not thread-safe. */
final class PartnerWindow {

    /** A way to begin windows. */
    enum Kind {
        /** With the first request since the last window ended. */
        FROM_FIRST("windows of %d s, each from its first request"),
        /** Anywhere. */
        SLIDING("any %d s");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        String text(Rate rate) {
            return text.formatted(rate.window().toSeconds());
        }
    }

    private final Kind kind;
    private final Rate rate;
    private final Deque<Long> counted = new ArrayDeque<>();

    PartnerWindow(Kind kind, Rate rate) {
        this.kind = kind;
        this.rate = rate;
    }

    /** Counts a request if it fits. */
    boolean take(long nowNanos) {
        expire(nowNanos);
        return counted.size() < rate.limit() && counted.add(nowNanos);
    }

    long remaining() {
        return rate.limit() - counted.size();
    }

    /** Returns the time until one more request fits than now. */
    long resetNanos(long nowNanos) {
        return counted.isEmpty() ? 0 : counted.element() + windowNanos() - nowNanos;
    }

    private void expire(long nowNanos) {
        long startNanos = nowNanos - windowNanos();
        if (kind == Kind.SLIDING) {
            counted.removeIf(nanos -> nanos - startNanos <= 0);
        } else if (!counted.isEmpty() && counted.element() - startNanos <= 0) {
            counted.clear();
        }
    }

    private long windowNanos() {
        return rate.window().toNanos();
    }
}
