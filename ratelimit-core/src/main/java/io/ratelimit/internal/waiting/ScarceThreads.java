package io.ratelimit.internal.waiting;

import java.util.function.BooleanSupplier;

/**
 * Threads of which a process has few, such as those of a web server, so that only some of them may wait.
 *
 * @param isOne returns whether the calling thread is one of them
 */
public record ScarceThreads(int mostWaiting, BooleanSupplier isOne) {

    /** Any number of threads may wait. */
    public static final ScarceThreads NONE = new ScarceThreads(0, () -> false);
}
