package io.ratelimit.spring.http;

import io.ratelimit.spring.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;

/**
 * The configured routes. Immutable and thread-safe.
 *
 * @param managementPath base path of the management endpoints, empty if there is none to spare
 */
public record Routes(List<Route> routes, String managementPath) {

    /** Rules of all routes that match. */
    public List<Rule> matching(String method, PathContainer path) {
        List<Rule> rules = new ArrayList<>();
        for (Route route : routes) {
            if (route.matches(method, path, managementPath)) {
                rules.add(route.rule());
            }
        }
        return rules;
    }

    /** Those that can be decided before authentication, or those that cannot. */
    public Routes needingPrincipal(boolean needing) {
        return new Routes(
                routes.stream()
                        .filter(route -> route.rule().key().needsPrincipal() == needing)
                        .toList(),
                managementPath);
    }

    public boolean isEmpty() {
        return routes.isEmpty();
    }
}
