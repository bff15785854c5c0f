package io.ratelimit.internal.redis;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Checks outstanding calls every tenth of their timeout, at most 10 ms, while there are any. Thread-safe. */
final class OverdueChecker {

    private final ScheduledExecutorService scheduler;
    private final long everyMillis;
    private final BooleanSupplier check;
    private final Runnable afterShutdown;
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /**
     * @param timeout of the calls
     * @param check fails overdue calls and returns whether any call is still outstanding
     * @param afterShutdown runs instead of a check once the scheduler was shut down
     */
    OverdueChecker(
            ScheduledExecutorService scheduler, Duration timeout, BooleanSupplier check, Runnable afterShutdown) {
        this.scheduler = scheduler;
        this.everyMillis = Math.max(1, Math.min(10, timeout.toMillis() / 10));
        this.check = check;
        this.afterShutdown = afterShutdown;
    }

    long everyNanos() {
        return TimeUnit.MILLISECONDS.toNanos(everyMillis);
    }

    /** Schedules a check unless one is scheduled. After a shutdown of the scheduler, a scheduled check never runs. */
    void scheduleCheck() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            scheduler.schedule(this::check, everyMillis, TimeUnit.MILLISECONDS);
        }
        if (scheduler.isShutdown()) {
            afterShutdown.run();
        }
    }

    private void check() {
        scheduled.set(false); // before the check, so that a call that arrives during it schedules another one
        if (check.getAsBoolean()) {
            scheduleCheck();
        }
    }
}
