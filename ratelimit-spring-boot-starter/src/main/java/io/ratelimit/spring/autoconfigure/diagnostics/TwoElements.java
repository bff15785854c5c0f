package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Routes that name two elements of one subject to one limit for the same request, which can count only one of them. */
final class TwoElements extends RoutesOfOneLimit {

    TwoElements(RateLimiterProperties properties, Limits limits, RouteOverlap overlap) {
        super(properties, limits, overlap);
    }

    @Override
    public MessageCode code() {
        return MessageCode.ELEMENT_INVALID;
    }

    /** One is enough, because it stops the start. */
    @Override
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        List<String> names = properties.routes().keySet().stream()
                .filter(name -> route(name).element() != null)
                .toList();
        addFindings(names, 1, findings);
        return findings;
    }

    @Override
    Set<String> shared(String one, String other) {
        if (Objects.equals(route(one).element(), route(other).element())) {
            return Set.of();
        }
        Set<String> both = new TreeSet<>(route(one).limits());
        both.retainAll(route(other).limits());
        both.removeIf(limit -> !limits.get(limit).algorithm().countsElements());
        return both;
    }

    @Override
    String finding(String one, String other, Set<String> shared) {
        return ("%s and %s count the elements '%s' and '%s' of the key '%s' in limit '%s', so that a request that both match"
                        + " has two: write the same element in both, or a limit for each")
                .formatted(
                        one,
                        other,
                        route(one).element(),
                        route(other).element(),
                        key(one),
                        shared.iterator().next());
    }
}
