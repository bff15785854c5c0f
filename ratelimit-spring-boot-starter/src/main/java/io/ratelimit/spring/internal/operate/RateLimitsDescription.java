package io.ratelimit.spring.internal.operate;

import io.ratelimit.Limit;
import io.ratelimit.spring.internal.live.LimitOverride;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limits of an application. Immutable and thread-safe.
 *
 * @param version of this library; null if its classes do not come from the jar
 * @param store {@code redis} or {@code in-memory}
 * @param breakers whether calls are sent to each Redis node that was called: {@code closed}, {@code open} or
 *     {@code half-open}
 */
record RateLimitsDescription(
        @Nullable String version,
        String store,
        Map<String, String> breakers,
        List<LimitDescription> limits,
        List<RouteDescription> routes,
        List<MethodDescription> methods) {

    /**
     * A limit.
     *
     * @param windowSize as ISO 8601 writes durations, {@code PT1M} for a minute; with the number of its parts {@code PT1H/60},
     *     and the period of a calendar such as {@code month-1@UTC}
     * @param burst of a token bucket only
     * @param from where the numbers come from: {@code configuration} or {@code override}
     * @param override what holds for a while in place of the limit's own numbers; null if nothing does
     * @param reportOnly whether it refuses nothing
     * @param declaredBy the property or the annotated method that first names it
     * @param plans other numbers, which calls of routes and annotated methods may have
     */
    public record LimitDescription(
            String name,
            String algorithm,
            long maxRequests,
            String windowSize,
            @Nullable Long burst,
            String from,
            @Nullable OverrideDescription override,
            boolean reportOnly,
            String declaredBy,
            List<PlanDescription> plans) {}

    /**
     * Numbers of a limit for calls of a plan; {@code maxRequests} is null if it is unlimited.
     *
     * @param from where the numbers come from: {@code plan} or {@code override}
     */
    public record PlanDescription(
            String name,
            @Nullable Long maxRequests,
            @Nullable Long burst,
            String from) {}

    /**
     * An override: until when it is in force, and the limit's own numbers meanwhile.
     *
     * @param until by the store's clock
     */
    public record OverrideDescription(
            String until, long ownMaxRequests, @Nullable Long ownBurst) {

        static OverrideDescription of(LimitOverride override, Limit own) {
            return new OverrideDescription(
                    override.until().toString(), own.maxRequests(), burst(own).orElse(null));
        }
    }

    /** A route; {@code methods} is empty for all, and {@code rule} is null if there are levels. */
    public record RouteDescription(
            String name,
            String declaredBy,
            List<String> paths,
            List<String> methods,
            @Nullable RuleDescription rule,
            List<RuleDescription> levels) {}

    /** An annotated method, with a rule for each of its annotations. */
    public record MethodDescription(String method, List<RuleDescription> rules) {}

    /** Names of limits, the key that they count by, and what happens while the store fails. */
    public record RuleDescription(List<String> limits, String key, String onStoreFailure) {}

    /** Returns the burst; empty for an algorithm that has none. */
    static Optional<Long> burst(Limit limit) {
        return limit.algorithm().hasBurst() ? Optional.of(limit.capacity()) : Optional.empty();
    }
}
