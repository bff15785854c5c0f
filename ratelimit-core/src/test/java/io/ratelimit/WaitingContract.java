package io.ratelimit;

import io.ratelimit.internal.waiting.WaitingRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.TestTime;
import org.junit.jupiter.api.BeforeEach;

/** The contract of calls that wait, over each store. A test class provides an empty store that follows the time. */
public abstract class WaitingContract implements WaitForQuotaContract, WaitingLineContract, WaitingSchedulesContract {

    private final ManualTime time = new ManualTime(TestTime.at("12:00:00"));
    private RateLimiter store;
    private WaitingRateLimiter limiter;

    /** Creates the store, whose stages are completed when it returns them. */
    protected abstract RateLimiter store(ManualTime time);

    @BeforeEach
    void start() {
        store = store(time);
        limiter = new WaitingRateLimiter(store, time.scheduler(), time::nanos, new InTurn());
    }

    @Override
    public RateLimiter store() {
        return store;
    }

    @Override
    public WaitingRateLimiter limiter() {
        return limiter;
    }

    @Override
    public ManualTime time() {
        return time;
    }
}
