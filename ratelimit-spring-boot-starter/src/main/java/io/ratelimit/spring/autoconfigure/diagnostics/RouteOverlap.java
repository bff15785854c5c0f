package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import io.ratelimit.spring.internal.rule.ManagementPaths;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Compares two routes by their texts: one request can match both if their patterns are equal, or one pattern matches the
 * text of the other. Patterns that meet elsewhere, such as {@code /a/*} and {@code /*}{@code /b}, are not found.
 */
final class RouteOverlap {

    private final Supplier<ManagementPaths> management;

    /** Compares routes that do not apply to management endpoints unless they name them. */
    RouteOverlap(Supplier<ManagementPaths> management) {
        this.management = management;
    }

    boolean of(RouteProperties one, RouteProperties other) {
        return methodsOverlap(methods(one), methods(other))
                && one.paths().stream().anyMatch(path -> other.paths().stream().anyMatch(next -> meet(path, next)));
    }

    private static boolean methodsOverlap(Set<String> some, Set<String> others) {
        return some.isEmpty() || others.isEmpty() || some.stream().anyMatch(others::contains);
    }

    /** In capitals; a route that limits GET limits HEAD too. */
    private static Set<String> methods(RouteProperties route) {
        Set<String> methods = route.methods().stream()
                .map(method -> method.toUpperCase(Locale.ROOT))
                .collect(Collectors.toSet());
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        return methods;
    }

    private boolean meet(String one, String other) {
        return isManagement(one) == isManagement(other) && (matches(one, other) || matches(other, one));
    }

    private static boolean matches(String pattern, String path) {
        PathPattern parsed = PathPatternParser.defaultInstance.parse(pattern);
        return pattern.equals(path) || parsed.matches(PathContainer.parsePath(path));
    }

    private boolean isManagement(String path) {
        return management.get().areNamedBy(path);
    }
}
