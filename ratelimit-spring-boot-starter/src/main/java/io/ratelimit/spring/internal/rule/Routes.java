package io.ratelimit.spring.internal.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The configured routes. Immutable and thread-safe.
 *
 * @param management supplies where management endpoints are; called when a request first needs it
 */
public record Routes(List<Route> routes, Supplier<ManagementPaths> management) {

    /** The same routes, with patterns that match as those of the application do. */
    public Routes parsedBy(Function<String, List<PathPattern>> parser) {
        return new Routes(routes.stream().map(route -> route.parsedBy(parser)).toList(), management);
    }

    List<Route.Match> matching(String method, List<PathContainer> paths) {
        List<Route.Match> matching = new ArrayList<>();
        for (Route route : routes) {
            route.match(method, paths, management.get()).ifPresent(matching::add);
        }
        return matching;
    }

    public boolean isEmpty() {
        return routes.isEmpty();
    }
}
