package io.ratelimit.spring.internal.operate;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision.Source;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Asks if the store decides, for the health contributor of any Spring Boot. Asking also lets an open breaker try Redis again.
 * Thread-safe.
 */
public final class StoreHealth {

    private static final Acquisition PROBE = Acquisition.of(
                    Limit.of("health", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "health")
            .withOnStoreFailure(FailurePolicy.LOCAL);

    private static final String SILENT = "the limiter does not answer";

    private final RateLimiter limiter;

    public StoreHealth(RateLimiter limiter) {
        this.limiter = limiter;
    }

    /** Returns why the store does not decide, so that {@code on-store-failure} does; empty if it decides. */
    public Optional<String> outage() {
        if (limiter instanceof RateLimiterStack stack) {
            return stack.outage();
        }
        try {
            return limiter.peek(PROBE).source() == Source.STORE ? Optional.empty() : Optional.of(SILENT);
        } catch (RuntimeException failed) { // an application's own limiter may throw anything
            return Optional.of(SILENT);
        }
    }

    /** Returns the kind of the store, the circuit breakers of its nodes, and why it does not decide if it does not. */
    public Map<String, Object> details(Optional<String> outage) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", kind(limiter));
        details.put("breakers", breakers(limiter));
        outage.ifPresent(reason -> details.put("reason", reason));
        return details;
    }

    /** Returns {@code redis}, {@code in-memory}, or {@code custom} for an application's own limiter. */
    static String kind(RateLimiter limiter) {
        if (limiter instanceof RateLimiterStack stack) {
            return stack.isShared() ? "redis" : "in-memory";
        }
        return "custom";
    }

    /** Returns the state of the circuit breaker of each Redis node that was called: closed, open or half-open. */
    static Map<String, String> breakers(RateLimiter limiter) {
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
