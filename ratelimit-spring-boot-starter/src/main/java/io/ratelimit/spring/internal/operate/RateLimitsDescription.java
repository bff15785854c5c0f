package io.ratelimit.spring.internal.operate;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What limits an application. Immutable and thread-safe.
 *
 * @param store {@code redis} or {@code in-memory}
 * @param breakers whether calls are sent to each Redis node that was called: {@code closed}, {@code open} or
 *     {@code half-open}
 */
record RateLimitsDescription(
        String store,
        Map<String, String> breakers,
        List<LimitDescription> limits,
        List<RouteDescription> routes,
        List<MethodDescription> methods) {

    /**
     * A limit.
     *
     * @param windowSize as ISO 8601 writes durations, {@code PT1M} for a minute
     * @param burst of a token bucket only
     * @param declaredBy the property or the annotated method that first names it
     */
    public record LimitDescription(
            String name,
            String algorithm,
            long maxRequests,
            String windowSize,
            @Nullable Long burst,
            String declaredBy) {}

    /** A route; {@code methods} is empty for all. */
    public record RouteDescription(
            String name, String declaredBy, List<String> paths, List<String> methods, RuleDescription rule) {}

    /** An annotated method, with a rule for each of its annotations. */
    public record MethodDescription(String method, List<RuleDescription> rules) {}

    /** Names of limits, the key that they count by, and what happens while the store fails. */
    public record RuleDescription(List<String> limits, String key, String onStoreFailure) {}
}
