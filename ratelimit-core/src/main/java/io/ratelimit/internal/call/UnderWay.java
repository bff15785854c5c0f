package io.ratelimit.internal.call;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Counts the calls that have begun and are not answered yet, so that closing can wait for them. Thread-safe. */
public final class UnderWay {

    private static final long CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private volatile boolean closed;

    /** Counts a call, which {@link #end} ends. Returns false if it came after {@link #close}. */
    public boolean begin() {
        begun.increment();
        return !closed;
    }

    public void end() {
        ended.increment();
    }

    /**
     * Lets no call begin any more, and waits for those that have begun.
     *
     * @param most how long
     */
    public void close(Duration most) {
        closed = true;
        long endNanos = System.nanoTime() + most.toNanos();
        while (isAny() && endNanos - System.nanoTime() > 0) {
            LockSupport.parkNanos(CHECK_NANOS);
        }
    }

    /** True once {@link #close} has been called. */
    public boolean isClosed() {
        return closed;
    }

    /** Reads the ends first: a call that begins and ends between the two would hide one that has not ended. */
    private boolean isAny() {
        long endedBefore = ended.sum();
        return begun.sum() != endedBefore;
    }
}
