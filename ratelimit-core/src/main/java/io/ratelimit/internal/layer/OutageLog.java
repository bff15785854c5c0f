package io.ratelimit.internal.layer;

import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once when the store begins to fail, and once when it charges calls again and no call has failed for a second. So a
 * store that fails only for some calls is logged as one outage, and a replica, which still answers peeks and refuses whoever
 * is over a limit, does not end it. Thread-safe.
 */
public final class OutageLog {

    private static final Logger LOG = LoggerFactory.getLogger(OnStoreFailure.class);

    /** The code of the warning names its logger, so that it can be silenced alone. */
    private static final Logger WARNING = LoggerFactory.getLogger("io.ratelimit.RL-551");

    private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

    private final LongSupplier nanoTime;
    private final AtomicBoolean under = new AtomicBoolean();
    private volatile long lastFailureNanos;
    private volatile String lastFailure = "";
    private volatile boolean closed;

    public OutageLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns the last failure of the outage that is under way, if there is one. */
    public Optional<String> reason() {
        return under.get() ? Optional.of(lastFailure) : Optional.empty();
    }

    /** Ends the outage if no call has failed for a second: the store has just charged a call. */
    public void storeCharged() {
        if (under.get() && nanoTime.getAsLong() - lastFailureNanos >= QUIET_NANOS && under.compareAndSet(true, false)) {
            LOG.info("The rate limiter's store answers again: limits are shared and exact");
        }
    }

    public void storeFailed(StoreUnavailableException unavailable) {
        lastFailureNanos = nanoTime.getAsLong();
        lastFailure = String.valueOf(unavailable.getMessage());
        if (!closed && under.compareAndSet(false, true)) {
            WARNING.warn(
                    "RL-551: The rate limiter's store does not answer, on-store-failure decides: {}",
                    unavailable.getMessage());
        }
    }

    /** Logs no further outage: calls that fail because the limiter is closed say nothing about the store. */
    public void close() {
        closed = true;
    }
}
