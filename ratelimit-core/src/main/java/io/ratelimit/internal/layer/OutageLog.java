package io.ratelimit.internal.layer;

import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once when the store begins to fail, and once when it charges calls again and no call has failed for a second. So a
 * store that fails only for some calls is logged as one outage, and a replica, which still answers peeks and refuses whoever
 * is over a limit, does not end it. Logs one outage a minute, so that a store that is slow again and again does not fill the log:
 * the next warning says how many there were. Thread-safe.
 */
public final class OutageLog {

    private static final Logger LOG = LoggerFactory.getLogger(OnStoreFailure.class);

    /** The code of the warning names its logger, so that it can be silenced alone. */
    private static final Logger WARNING = LoggerFactory.getLogger("io.ratelimit.RL-551");

    private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long BETWEEN_WARNINGS_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;
    private final AtomicBoolean under = new AtomicBoolean();

    /** True if the outage under way has been logged, so that its end is logged, too. */
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Outages since the last warning, with the one under way. */
    private final AtomicInteger outages = new AtomicInteger();

    private volatile long nextWarningNanos;
    private volatile long lastFailureNanos;
    private volatile String lastFailure = "";
    private volatile boolean closed;

    public OutageLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextWarningNanos = nanoTime.getAsLong();
    }

    /** Returns the last failure of the outage that is under way, if there is one. */
    public Optional<String> reason() {
        return under.get() ? Optional.of(lastFailure) : Optional.empty();
    }

    /** Ends the outage if no call has failed for a second: the store has just charged a call. */
    public void storeCharged() {
        if (under.get()
                && nanoTime.getAsLong() - lastFailureNanos >= QUIET_NANOS
                && under.compareAndSet(true, false)
                && warned.getAndSet(false)) {
            LOG.info("The rate limiter's store answers again: limits are shared and exact");
        }
    }

    public void storeFailed(StoreUnavailableException unavailable) {
        lastFailureNanos = nanoTime.getAsLong();
        lastFailure = String.valueOf(unavailable.getMessage());
        if (closed) {
            return;
        }
        if (under.compareAndSet(false, true)) {
            outages.incrementAndGet();
        }
        if (!warned.get() && lastFailureNanos - nextWarningNanos >= 0 && warned.compareAndSet(false, true)) {
            nextWarningNanos = lastFailureNanos + BETWEEN_WARNINGS_NANOS;
            warn(outages.getAndSet(0));
        }
    }

    private void warn(int times) {
        WARNING.warn(
                "RL-551: The rate limiter's store does not answer, on-store-failure decides: {}{}",
                lastFailure,
                times > 1 ? " (%d times since this was logged)".formatted(times) : "");
    }

    /** Logs no further outage: calls that fail because the limiter is closed say nothing about the store. */
    public void close() {
        closed = true;
    }
}
