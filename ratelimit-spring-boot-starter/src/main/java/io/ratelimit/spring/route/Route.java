package io.ratelimit.spring.route;

import io.ratelimit.spring.http.RequestMethods;
import io.ratelimit.spring.rule.Rule;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Paths and methods, and the rule that applies to them. Immutable and thread-safe.
 *
 * @param methods empty for all; a route that limits GET limits HEAD too, because the same handler answers it
 */
public record Route(String name, List<PathPattern> paths, Set<String> methods, Rule rule) {

    /** The first of its patterns that matches one of the paths. */
    Optional<RouteMatch> match(String method, List<PathContainer> candidates, ManagementPaths management) {
        if (RequestMethods.match(methods, method)) {
            for (PathPattern pattern : paths) {
                for (PathContainer path : candidates) {
                    if (pattern.matches(path) && management.allow(pattern, path)) {
                        return Optional.of(new RouteMatch(this, pattern));
                    }
                }
            }
        }
        return Optional.empty();
    }

    Route parsedBy(Function<String, List<PathPattern>> parser) {
        List<PathPattern> parsed = paths.stream()
                .flatMap(path -> parser.apply(path.getPatternString()).stream())
                .toList();
        return new Route(name, parsed, methods, rule);
    }
}
