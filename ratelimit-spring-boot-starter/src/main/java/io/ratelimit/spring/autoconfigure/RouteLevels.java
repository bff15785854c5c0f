package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LevelProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Rejects levels of a route that cannot work. */
final class RouteLevels {

    /** What a level says for itself; all else is the route's. */
    static final Set<String> PROPERTIES = Set.of("limits", "key", "plan", "element");

    private RouteLevels() {}

    /**
     * Checks the levels of a route.
     *
     * @throws InvalidRateLimitException if the route names limits or subjects beside them, or a level lacks one
     */
    static void check(RouteProperties route, String where) {
        boolean limitedItself = Stream.of(
                        route.plan(),
                        route.key(),
                        route.element(),
                        route.useAlgo(),
                        route.maxRequests(),
                        route.windowSize(),
                        route.burst(),
                        route.lease(),
                        route.shards(),
                        route.approximate(),
                        route.buckets(),
                        route.ban())
                .anyMatch(Objects::nonNull);
        if (limitedItself || !route.limits().isEmpty() || !route.plans().isEmpty()) {
            throw invalid(
                    where,
                    "a route with levels has no limits, key, plan or element of its own, and no numbers: write them in a level, or leave levels out");
        }
        List<LevelProperties> levels = route.levels();
        for (int i = 0; i < levels.size(); i++) {
            String at = where + ".levels[" + i + "]";
            if (levels.get(i).limits().isEmpty()) {
                throw invalid(at, "no limits: name at least one");
            }
            if (levels.get(i).key() == null) {
                throw invalid(at, "no key: name whom the level counts, such as principal");
            }
        }
    }

    private static InvalidRateLimitException invalid(String where, String message) {
        return new InvalidRateLimitException(MessageCode.LEVELS_INVALID, where, message);
    }
}
