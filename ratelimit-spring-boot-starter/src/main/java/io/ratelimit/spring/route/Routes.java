package io.ratelimit.spring.route;

import io.ratelimit.spring.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.http.server.PathContainer;

/**
 * The configured routes. Immutable and thread-safe.
 *
 * @param managementPaths where management endpoints are; asked for when a request first needs it
 */
public record Routes(List<Route> routes, Supplier<List<String>> managementPaths) {

    /** Rules of all routes that match. */
    public List<Rule> matching(String method, PathContainer path) {
        List<Rule> rules = new ArrayList<>();
        for (Route route : routes) {
            if (route.matches(method, path, managementPaths)) {
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
                managementPaths);
    }

    public boolean isEmpty() {
        return routes.isEmpty();
    }
}
