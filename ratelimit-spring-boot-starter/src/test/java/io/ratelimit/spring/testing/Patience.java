package io.ratelimit.spring.testing;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.operate.StoreHealth;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** How long tests wait for what happens on other threads: a minute on the busiest machine, and hardly at all on an idle one. */
public final class Patience {

    public static final Duration LONGEST = Duration.ofMinutes(1);

    private Patience() {}

    /** Returns the whole seconds that have passed by now, and one: by so much a wait of that time may be shorter already. */
    public static long secondsSince(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos).toSeconds() + 1;
    }

    /** True if a start, going by what it logged, had not the time for Redis that it needs: its test is to be repeated. */
    public static boolean wasHeldUp(LogCapture log) {
        String text = log.text();
        return Stream.of("Redis has not answered for", "Redis did not answer the check", "TimeoutException")
                .anyMatch(text::contains);
    }

    /** True while an application connects to Redis, checks it and warms up. */
    public static boolean isConnecting() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("ratelimit-connect"));
    }

    /** Waits until the store decides: where a start takes long, an application goes on without Redis at first. */
    public static void awaitStore(RateLimiter limiter) {
        Awaitility.await()
                .atMost(LONGEST)
                .until(() -> new StoreHealth(limiter).outage().isEmpty());
    }
}
