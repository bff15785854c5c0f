package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.CallingRateLimiter;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.testing.LimiterStore;
import java.time.Duration;
import java.util.concurrent.Executor;

/** Leases in front of any limiter. */
public final class LeasingRateLimiter extends CallingRateLimiter implements AutoCloseable {

    private static final Duration PATIENT = Duration.ofMinutes(1);

    private final Leases leases;

    private LeasingRateLimiter(Leases leases, Executor callbacks) {
        super(leases, callbacks);
        this.leases = leases;
    }

    public LeasingRateLimiter(RateLimiter store, Scheduler scheduler, Executor callbacks) {
        this(new Leases(new LimiterStore(store), () -> PATIENT, scheduler, callbacks), callbacks);
    }

    LeasingRateLimiter(RateLimiter store, Ticker ticker, Scheduler scheduler, Executor callbacks, long mostLeases) {
        this(store, ticker, scheduler, callbacks, mostLeases, Duration.ofSeconds(1));
    }

    LeasingRateLimiter(
            RateLimiter store,
            Ticker ticker,
            Scheduler scheduler,
            Executor callbacks,
            long mostLeases,
            Duration closing) {
        this(new LimiterStore(store), PATIENT, ticker, scheduler, callbacks, mostLeases, closing);
    }

    LeasingRateLimiter(
            Layer store,
            Duration timeout,
            Ticker ticker,
            Scheduler scheduler,
            Executor callbacks,
            long mostLeases,
            Duration closing) {
        this(new Leases(store, () -> timeout, ticker, scheduler, callbacks, mostLeases, closing), callbacks);
    }

    long leases() {
        return leases.leases();
    }

    @Override
    public void close() {
        leases.close();
    }
}
