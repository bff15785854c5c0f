package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.internal.rule.Routes.ManagementPaths;
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

    /** A route, and which of its patterns matched. */
    public record Match(Route route, PathPattern pattern) {}

    /** Returns the match of the first of its patterns that matches one of the paths; empty if none does. */
    Optional<Match> match(String method, List<PathContainer> candidates, ManagementPaths management) {
        if (includes(methods, method)) {
            for (PathPattern pattern : paths) {
                for (PathContainer path : candidates) {
                    if (pattern.matches(path) && management.allow(pattern, path)) {
                        return Optional.of(new Match(this, pattern));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** True if the method is one of them. None means all; whatever answers GET answers HEAD, too. */
    public static boolean includes(Set<String> methods, String method) {
        return methods.isEmpty() || methods.contains(method) || (method.equals("HEAD") && methods.contains("GET"));
    }

    Route parsedBy(Function<String, List<PathPattern>> parser) {
        List<PathPattern> parsed = paths.stream()
                .flatMap(path -> parser.apply(path.getPatternString()).stream())
                .toList();
        return new Route(name, parsed, methods, rule);
    }
}
