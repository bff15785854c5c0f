package io.ratelimit.internal.layer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Counts the calls that have passed a layer and are not answered yet, so that closing can wait for them. Thread-safe. */
final class UnderWay {

    private static final long CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private volatile boolean closed;

    /** Counts a call, which {@link #end} ends. Returns false if it came after {@link #close}. */
    boolean begin() {
        begun.increment();
        return !closed;
    }

    void end() {
        ended.increment();
    }

    /**
     * Lets no call begin any more, and waits for those that have begun.
     *
     * @param most how long
     */
    void close(Duration most) {
        closed = true;
        long endNanos = System.nanoTime() + most.toNanos();
        while (isAny() && endNanos - System.nanoTime() > 0) {
            LockSupport.parkNanos(CHECK_NANOS);
        }
    }

    /** Reads the ends first: a call that begins and ends between the two would hide one that has not ended. */
    private boolean isAny() {
        long endedBefore = ended.sum();
        return begun.sum() != endedBefore;
    }
}
