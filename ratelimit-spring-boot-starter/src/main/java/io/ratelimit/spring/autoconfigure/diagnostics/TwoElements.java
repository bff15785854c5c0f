package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.MessageCode;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Routes that ask one limit about two elements of one subject for the same request, of which it can count one only. */
final class TwoElements implements Diagnosis {

    private final RateLimiterProperties properties;
    private final Limits limits;
    private final RouteOverlap overlap;

    TwoElements(RateLimiterProperties properties, Limits limits, RouteOverlap overlap) {
        this.properties = properties;
        this.limits = limits;
        this.overlap = overlap;
    }

    @Override
    public MessageCode code() {
        return MessageCode.ELEMENT_INVALID;
    }

    @Override
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        List<String> names = properties.routes().keySet().stream()
                .filter(name -> route(name).element() != null && route(name).condition() == null)
                .toList();
        new RoutePairs(names.stream().map(this::route).toList()).forEach((one, other) -> {
            shared(names.get(one), names.get(other)).ifPresent(findings::add);
            return findings.isEmpty();
        });
        return findings;
    }

    private Optional<String> shared(String one, String other) {
        RouteProperties first = route(one);
        RouteProperties second = route(other);
        if (Objects.equals(first.element(), second.element())
                || !key(first).equals(key(second))
                || !overlap.of(first, second)) {
            return Optional.empty();
        }
        return first.limits().stream()
                .filter(limit -> second.limits().contains(limit)
                        && limits.get(limit).algorithm().countsElements())
                .findFirst()
                .map(limit ->
                        ("%s and %s count the elements '%s' and '%s' of the key '%s' in limit '%s', so that a request"
                                        + " that both match has two: write the same element in both, or a limit for each")
                                .formatted(one, other, first.element(), second.element(), key(first), limit));
    }

    private String key(RouteProperties route) {
        return Optional.ofNullable(route.key()).orElse(properties.key());
    }

    private RouteProperties route(String name) {
        return Objects.requireNonNull(properties.routes().get(name));
    }
}
