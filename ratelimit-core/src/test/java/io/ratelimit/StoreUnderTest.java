package io.ratelimit;

import java.time.Duration;

/** An empty store with a settable clock, and shorthands with which the contract's tests call it. */
public interface StoreUnderTest {

    RateLimiter limiter();

    /** Sets the clock of the store, in µs since 1970; it stands still. */
    void setClock(long micros);

    default Decision acquireAt(long micros, Acquisition acquisition) {
        setClock(micros);
        return limiter().acquire(acquisition);
    }

    default boolean admits(Limit limit, String subject, long cost) {
        return limiter().acquire(Acquisition.of(limit, subject, cost)).allowed();
    }

    /** How many of so many calls of cost 1 are admitted now. */
    default int admitted(int calls, Limit limit, String subject) {
        int admitted = 0;
        for (int i = 0; i < calls; i++) {
            admitted += admits(limit, subject, 1) ? 1 : 0;
        }
        return admitted;
    }

    default long remaining(Limit limit, String subject) {
        return limiter().peek(Acquisition.of(limit, subject)).remaining();
    }

    /** Five a minute. */
    static Limit fivePerMinute(Algorithm algorithm) {
        return Limit.of("five", algorithm, 5, Duration.ofMinutes(1));
    }
}
