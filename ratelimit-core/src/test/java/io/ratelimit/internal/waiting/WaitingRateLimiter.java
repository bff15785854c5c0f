package io.ratelimit.internal.waiting;

import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.CallingRateLimiter;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.testing.LimiterStore;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/** Waiting in front of any limiter or layer. */
public final class WaitingRateLimiter extends CallingRateLimiter implements AutoCloseable {

    private final Waiting waiting;

    public WaitingRateLimiter(RateLimiter store, Scheduler scheduler, LongSupplier nanoTime, Executor callbacks) {
        this(new LimiterStore(store), scheduler, nanoTime, callbacks);
    }

    public WaitingRateLimiter(Layer store, Scheduler scheduler, LongSupplier nanoTime, Executor callbacks) {
        this(new Waiting(store, scheduler, nanoTime, ScarceThreads.NONE), callbacks);
    }

    WaitingRateLimiter(
            RateLimiter store, Scheduler scheduler, LongSupplier nanoTime, Executor callbacks, ScarceThreads threads) {
        this(new Waiting(new LimiterStore(store), scheduler, nanoTime, threads), callbacks);
    }

    /** @param spread returns how much later than a block's end a call is tried again, of that many ns at most */
    WaitingRateLimiter(
            RateLimiter store,
            Scheduler scheduler,
            LongSupplier nanoTime,
            Executor callbacks,
            LongUnaryOperator spread) {
        this(new Waiting(new LimiterStore(store), scheduler, nanoTime, ScarceThreads.NONE, spread), callbacks);
    }

    private WaitingRateLimiter(Waiting waiting, Executor callbacks) {
        super(waiting, callbacks);
        this.waiting = waiting;
    }

    public long waiting() {
        return waiting.waiting();
    }

    @Override
    public void close() {
        waiting.close();
    }
}
