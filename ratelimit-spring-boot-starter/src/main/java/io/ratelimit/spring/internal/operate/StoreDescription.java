package io.ratelimit.spring.internal.operate;

import io.ratelimit.RateLimiter;
import io.ratelimit.stack.RateLimiterStack;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The store in words. */
final class StoreDescription {

    private StoreDescription() {}

    /** Returns {@code redis}, {@code in-memory}, or {@code custom} for an application's own limiter. */
    public static String kind(RateLimiter limiter) {
        if (limiter instanceof RateLimiterStack stack) {
            return stack.isShared() ? "redis" : "in-memory";
        }
        return "custom";
    }

    /** Returns the state of the circuit breaker of each Redis node that was called: closed, open or half-open. */
    public static Map<String, String> breakers(RateLimiter limiter) {
        Map<String, String> breakers = new TreeMap<>();
        if (limiter instanceof RateLimiterStack stack) {
            stack.state()
                    .breakers()
                    .forEach((node, state) -> breakers.put(
                            node, state.name().toLowerCase(Locale.ROOT).replace('_', '-')));
        }
        return breakers;
    }
}
