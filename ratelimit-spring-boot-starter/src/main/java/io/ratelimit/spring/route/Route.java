package io.ratelimit.spring.route;

import io.ratelimit.spring.rule.Rule;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Paths and methods, and the rule that applies to them. Immutable and thread-safe.
 *
 * @param methods empty for all; who limits GET limits HEAD too, for it is answered by the same handler
 */
public record Route(String name, List<PathPattern> paths, Set<String> methods, Rule rule) {

    boolean matches(String method, PathContainer path, Supplier<List<String>> managementPaths) {
        if (matchesMethod(method)) {
            for (PathPattern pattern : paths) {
                if (pattern.matches(path) && mayLimit(pattern, path, managementPaths.get())) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean matchesMethod(String method) {
        return methods.isEmpty() || methods.contains(method) || (method.equals("HEAD") && methods.contains("GET"));
    }

    /** Management endpoints are limited only by a pattern that names their path literally. */
    private static boolean mayLimit(PathPattern pattern, PathContainer path, List<String> managementPaths) {
        for (String management : managementPaths) {
            if (isBelow(path.value(), management) && !isBelow(pattern.getPatternString(), management)) {
                return false;
            }
        }
        return true;
    }

    /** Whether it is that path or one below it. */
    public static boolean isBelow(String path, String parent) {
        return path.equals(parent) || path.startsWith(parent + "/");
    }
}
