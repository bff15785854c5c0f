package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.MessageCode;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Routes that charge one limit to one key twice for the same request, so that the limit admits half of what it says. */
final class ChargedTwice implements Diagnosis {

    /** One wrong pattern may overlap with thousands of routes. */
    private static final int MOST_FINDINGS = 20;

    private final RateLimiterProperties properties;
    private final Limits limits;
    private final RouteOverlap overlap;

    ChargedTwice(RateLimiterProperties properties, Limits limits, RouteOverlap overlap) {
        this.properties = properties;
        this.limits = limits;
        this.overlap = overlap;
    }

    @Override
    public MessageCode code() {
        return MessageCode.ROUTES_CHARGE_TWICE;
    }

    @Override
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        List<String> names = List.copyOf(properties.routes().keySet());
        names.forEach(name -> repeated(name).ifPresent(findings::add));
        new RoutePairs(names.stream().map(this::route).toList()).forEach((one, other) -> {
            shared(names.get(one), names.get(other)).ifPresent(findings::add);
            return findings.size() < MOST_FINDINGS;
        });
        return findings;
    }

    private Optional<String> repeated(String name) {
        Set<String> once = new TreeSet<>();
        Set<String> twice = new TreeSet<>();
        limits(name).stream().filter(limit -> !once.add(limit)).forEach(twice::add);
        return twice.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "rate-limiter.routes.%s.limits names %s twice, so that each request is charged twice. Name it once"
                                .formatted(name, quoted(twice)));
    }

    private Optional<String> shared(String one, String other) {
        Set<String> both = new TreeSet<>(limits(one));
        both.retainAll(limits(other));
        return both.isEmpty()
                        || isConditional(one, other)
                        || !key(one).equals(key(other))
                        || !overlap.of(route(one), route(other))
                ? Optional.empty()
                : Optional.of(
                        ("rate-limiter.routes.%s and rate-limiter.routes.%s both charge %s to the key '%s', so that a"
                                        + " request that both match is charged twice. Leave it out of one of them, or keep their"
                                        + " paths or methods apart")
                                .formatted(one, other, quoted(both), key(one)));
    }

    /** Conditions may keep apart what paths and methods do not. */
    private boolean isConditional(String one, String other) {
        return route(one).condition() != null || route(other).condition() != null;
    }

    /** Those that count costs: an element counts once, however often it is named. */
    private List<String> limits(String name) {
        return route(name).limits().stream()
                .filter(limit -> !limits.get(limit).algorithm().countsElements())
                .toList();
    }

    private String key(String name) {
        return Optional.ofNullable(route(name).key()).orElse(properties.key());
    }

    private RouteProperties route(String name) {
        return Objects.requireNonNull(properties.routes().get(name));
    }

    private static String quoted(Set<String> limits) {
        return "'" + String.join("', '", limits) + "'";
    }
}
