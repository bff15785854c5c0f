package io.ratelimit.spring.testing;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.operate.StoreHealth;
import java.time.Duration;
import org.awaitility.Awaitility;

/** How long tests wait for what happens on other threads: a minute on the busiest machine, and hardly at all on an idle one. */
public final class Patience {

    public static final Duration LONGEST = Duration.ofMinutes(1);

    private Patience() {}

    /** Returns the whole seconds that have passed by now, and one: by so much a wait of that time may be shorter already. */
    public static long secondsSince(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos).toSeconds() + 1;
    }

    /** Waits until the store decides: where a start takes long, an application goes on without Redis at first. */
    public static void awaitStore(RateLimiter limiter) {
        Awaitility.await()
                .atMost(LONGEST)
                .until(() -> new StoreHealth(limiter).outage().isEmpty());
    }
}
