package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Finds pairs of routes that count the same request by one limit and one key. */
abstract class RoutesOfOneLimit implements Diagnosis {

    final RateLimiterProperties properties;
    final Limits limits;
    private final RouteOverlap overlap;

    RoutesOfOneLimit(RateLimiterProperties properties, Limits limits, RouteOverlap overlap) {
        this.properties = properties;
        this.limits = limits;
        this.overlap = overlap;
    }

    /** Returns the limits of both routes by which one request should not be counted twice. */
    abstract Set<String> shared(String one, String other);

    /** Returns what is wrong if both routes count one request by these limits. */
    abstract String finding(String one, String other, Set<String> shared);

    /** Adds what is wrong with pairs of these routes, until there are {@code most} findings. */
    final void addFindings(List<String> names, int most, List<String> findings) {
        new RoutePairs(names.stream().map(this::route).toList()).forEach((one, other) -> {
            addFinding(names.get(one), names.get(other), findings);
            return findings.size() < most;
        });
    }

    private void addFinding(String one, String other, List<String> findings) {
        Set<String> shared = shared(one, other);
        if (!shared.isEmpty() && meet(one, other)) {
            findings.add(finding(one, other, shared));
        }
    }

    /** Whether one request may be counted by both for one key. Conditions may keep apart what paths and methods do not. */
    private boolean meet(String one, String other) {
        return route(one).condition() == null
                && route(other).condition() == null
                && key(one).equals(key(other))
                && overlap.of(route(one), route(other));
    }

    final String key(String name) {
        return Optional.ofNullable(route(name).key()).orElse(properties.key());
    }

    final RouteProperties route(String name) {
        return Objects.requireNonNull(properties.routes().get(name));
    }
}
