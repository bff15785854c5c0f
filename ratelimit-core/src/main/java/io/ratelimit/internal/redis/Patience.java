package io.ratelimit.internal.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long a call may wait for Redis: the timeout. In a process that has just begun, whose classes are loaded and compiled
 * meanwhile, it is a second if the timeout is shorter: until Redis has answered twenty batches, or leaves one unanswered.
 * So the first calls of a process are as exact as later ones. Thread-safe.
 */
final class Patience {

    private static final Duration COLD = Duration.ofSeconds(1);
    private static final int COLD_ANSWERS = 20;

    private final Duration timeout;
    private final Duration longer;
    private final AtomicInteger answers = new AtomicInteger();
    private volatile boolean silent;

    Patience(Duration timeout) {
        this.timeout = timeout;
        this.longer = timeout.compareTo(COLD) > 0 ? timeout : COLD;
    }

    Duration now() {
        return silent || answers.get() >= COLD_ANSWERS ? timeout : longer;
    }

    void answered() {
        if (silent) {
            silent = false;
        }
        if (answers.get() < COLD_ANSWERS) {
            answers.incrementAndGet();
        }
    }

    void unanswered() {
        silent = true;
    }
}
