package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Routes that charge one limit to one key twice for the same request, so that the limit admits half of its quota. */
final class ChargedTwice extends RoutesOfOneLimit {

    /** One wrong pattern may overlap with thousands of routes. */
    private static final int MOST_FINDINGS = 20;

    ChargedTwice(RateLimiterProperties properties, Limits limits, RouteOverlap overlap) {
        super(properties, limits, overlap);
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
        addFindings(names, MOST_FINDINGS, findings);
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

    @Override
    Set<String> shared(String one, String other) {
        Set<String> both = new TreeSet<>(limits(one));
        both.retainAll(limits(other));
        return both;
    }

    @Override
    String finding(String one, String other, Set<String> shared) {
        return ("rate-limiter.routes.%s and rate-limiter.routes.%s both charge %s to the key '%s', so that a request that"
                        + " both match is charged twice. Leave it out of one of them, or keep their paths or methods apart")
                .formatted(one, other, quoted(shared), key(one));
    }

    /** Returns the limits of a route that count costs. An element counts once, however often it is named. */
    private List<String> limits(String name) {
        return route(name).limits().stream()
                .filter(limit -> !limits.get(limit).algorithm().countsElements())
                .toList();
    }

    private static String quoted(Set<String> limits) {
        return "'" + String.join("', '", limits) + "'";
    }
}
