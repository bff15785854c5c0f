package io.ratelimit.internal.numbers;

import io.ratelimit.internal.Scheduler;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Returns the time of a clock, at most a tenth of a second old. All who ask within it share one reading, which would be half of
 * what provided numbers add to a call in memory. Does nothing while nobody asks. Thread-safe.
 */
public final class CoarseClock implements LongSupplier {

    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier nanoTime;
    private final Scheduler scheduler;
    private volatile boolean isRead;
    private volatile long nanos;

    /** @param scheduler ends each tenth of a second */
    public CoarseClock(LongSupplier nanoTime, Scheduler scheduler) {
        this.nanoTime = nanoTime;
        this.scheduler = scheduler;
    }

    @Override
    public long getAsLong() {
        if (!isRead) {
            nanos = nanoTime.getAsLong();
            isRead = true;
            scheduler.schedule(TICK_NANOS, () -> isRead = false);
        }
        return nanos;
    }
}
