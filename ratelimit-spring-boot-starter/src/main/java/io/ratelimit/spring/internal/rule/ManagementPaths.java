package io.ratelimit.spring.internal.rule;

import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Where this application's port serves management endpoints. Routes spare them, because a health check must not run
 * into a limit. Immutable and thread-safe.
 *
 * @param endpoints what endpoints answer, and nothing else
 * @param parents a route that begins with one of these names management endpoints literally, and limits them
 */
public record ManagementPaths(List<PathPattern> endpoints, List<String> parents) {

    public static final ManagementPaths NONE = new ManagementPaths(List.of(), List.of());

    /** Whether a route may limit that path by that pattern. */
    boolean allow(PathPattern pattern, PathContainer path) {
        for (PathPattern endpoint : endpoints) {
            if (endpoint.matches(path)) {
                return areNamedBy(pattern.getPatternString());
            }
        }
        return true;
    }

    /** Whether the path or pattern names management endpoints literally. */
    public boolean areNamedBy(String path) {
        return parents.stream().anyMatch(parent -> path.equals(parent) || path.startsWith(parent + "/"));
    }
}
