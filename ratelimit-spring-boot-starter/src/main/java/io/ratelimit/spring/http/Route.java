package io.ratelimit.spring.http;

import io.ratelimit.spring.rule.Rule;
import java.util.List;
import java.util.Set;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Paths and methods, and the rule that applies to them. Immutable and thread-safe.
 *
 * @param methods empty for all; who limits GET limits HEAD too, for it is answered by the same handler
 */
public record Route(String name, List<PathPattern> paths, Set<String> methods, Rule rule) {

    boolean matches(String method, PathContainer path, String managementPath) {
        if (matchesMethod(method)) {
            for (PathPattern pattern : paths) {
                if (pattern.matches(path) && mayLimit(pattern, path, managementPath)) {
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
    private static boolean mayLimit(PathPattern pattern, PathContainer path, String managementPath) {
        return !isBelow(path.value(), managementPath) || isBelow(pattern.getPatternString(), managementPath);
    }

    /** Whether it is that path or one below it; nothing is below an empty one. */
    public static boolean isBelow(String path, String parent) {
        return !parent.isEmpty() && (path.equals(parent) || path.startsWith(parent + "/"));
    }
}
