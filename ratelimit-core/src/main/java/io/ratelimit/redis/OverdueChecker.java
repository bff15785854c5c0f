package io.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Looks at what is outstanding again and again, for as long as anything is. Thread-safe. */
final class OverdueChecker {

    private final ScheduledExecutorService watcher;
    private final long everyMillis;
    private final BooleanSupplier look;
    private final Runnable end;
    private final AtomicBoolean ordered = new AtomicBoolean();

    /**
     * Of asks with that timeout.
     *
     * @param look says whether anything is outstanding still
     * @param end what is left to do when the watcher has been shut down
     */
    OverdueChecker(ScheduledExecutorService watcher, Duration timeout, BooleanSupplier look, Runnable end) {
        this.watcher = watcher;
        this.everyMillis = Math.max(1, Math.min(10, timeout.toMillis() / 10));
        this.look = look;
        this.end = end;
    }

    /** Sees to it that somebody looks soon. */
    void later() {
        if (ordered.compareAndSet(false, true)) {
            try {
                watcher.schedule(this::now, everyMillis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException shutDown) {
                ordered.set(false);
                end.run();
            }
        }
    }

    private void now() {
        ordered.set(false); // before looking, so that what comes meanwhile is looked at by another
        if (look.getAsBoolean()) {
            later();
        }
    }
}
