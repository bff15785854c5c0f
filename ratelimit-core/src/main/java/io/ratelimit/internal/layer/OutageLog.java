package io.ratelimit.internal.layer;

import io.ratelimit.LimitProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once when something begins to fail, and once when it succeeds again and has not failed for a while. So what fails only
 * for some calls is logged as one outage, and a replica, which still answers peeks and refuses whoever is over a limit, does not
 * end an outage of the store: only a charge does. Logs five outages, and then one a minute, so that what is slow again and again
 * does not fill the log: the next warning says how many there were. Thread-safe.
 */
public final class OutageLog {

    private static final Logger OF_STORE = LoggerFactory.getLogger(OnStoreFailure.class);
    private static final Logger OF_PROVIDER = LoggerFactory.getLogger(LimitProvider.class);

    private static final long REFILL_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long BURST_NANOS = 5 * REFILL_NANOS;

    private final Logger log;

    /** The code of the warning names its logger, so that it can be silenced alone. */
    private final Logger warning;

    private final String begins;
    private final String ends;
    private final long quietNanos;
    private final LongSupplier nanoTime;
    private final AtomicBoolean under = new AtomicBoolean();

    /** True if the outage under way has been logged, so that its end is logged, too. */
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Outages since the last warning, with the one under way. */
    private final AtomicInteger outages = new AtomicInteger();

    /** When all five warnings are there again. */
    private volatile long fullNanos;

    private volatile long lastFailureNanos;
    private volatile String lastFailure = "";
    private volatile boolean closed;

    /** Logs outages of the store. */
    public OutageLog(LongSupplier nanoTime) {
        this(
                OF_STORE,
                "RL-551",
                "The rate limiter's store does not answer, on-store-failure decides",
                "The rate limiter's store answers again: limits are shared and exact",
                Duration.ofSeconds(1),
                nanoTime);
    }

    private OutageLog(Logger log, String code, String begins, String ends, Duration quiet, LongSupplier nanoTime) {
        this.log = log;
        this.warning = LoggerFactory.getLogger("io.ratelimit." + code);
        this.begins = code + ": " + begins;
        this.ends = ends;
        this.quietNanos = quiet.toNanos();
        this.nanoTime = nanoTime;
        this.fullNanos = nanoTime.getAsLong();
    }

    /** Logs outages of a {@link LimitProvider}, which may fail for some subjects and answer for others. */
    public static OutageLog ofProvider(LongSupplier nanoTime) {
        return new OutageLog(
                OF_PROVIDER,
                "RL-462",
                "The LimitProvider fails, what it gave last or the limits' own numbers apply",
                "The LimitProvider gives numbers again",
                Duration.ofMinutes(1),
                nanoTime);
    }

    /** Returns the last failure of the outage that is under way, if there is one. */
    public Optional<String> reason() {
        return under.get() ? Optional.of(lastFailure) : Optional.empty();
    }

    /** Ends the outage if nothing has failed for a while: something has just succeeded. */
    public void succeeded() {
        if (under.get()
                && nanoTime.getAsLong() - lastFailureNanos >= quietNanos
                && under.compareAndSet(true, false)
                && warned.getAndSet(false)) {
            log.info(ends);
        }
    }

    /** Begins an outage, or prolongs it. */
    public void failed(String reason) {
        long nowNanos = nanoTime.getAsLong();
        lastFailureNanos = nowNanos;
        lastFailure = reason;
        if (closed) {
            return;
        }
        if (under.compareAndSet(false, true)) {
            outages.incrementAndGet();
        }
        long refillNanos = Math.max(0, fullNanos - nowNanos) + REFILL_NANOS; // of all warnings, if there is one now
        if (!warned.get() && refillNanos <= BURST_NANOS && warned.compareAndSet(false, true)) {
            fullNanos = nowNanos + refillNanos;
            warn(outages.getAndSet(0));
        }
    }

    private void warn(int times) {
        warning.warn(
                "{}: {}{}", begins, lastFailure, times > 1 ? " (%d times since this was logged)".formatted(times) : "");
    }

    /** Logs no further outage: what fails because the limiter is closed says nothing. */
    public void close() {
        closed = true;
    }
}
