package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.Routes.ManagementPaths;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The configured routes. Immutable and thread-safe.
 *
 * @param guard matches all requests and limits none, so that those which the application denies are denied wherever routes
 *     are decided; null if it denies none
 * @param management supplies where management endpoints are; called when a request first needs it
 */
public record Routes(List<Route> routes, @Nullable Route guard, Supplier<ManagementPaths> management) {

    /** Returns the same routes, with patterns that match as those of the application do. */
    public Routes parsedBy(Function<String, List<PathPattern>> parser) {
        return new Routes(
                routes.stream().map(route -> route.parsedBy(parser)).toList(),
                guard == null ? null : guard.parsedBy(parser),
                management);
    }

    List<Route.Match> matching(String method, List<PathContainer> paths) {
        List<Route.Match> matching = new ArrayList<>();
        if (guard != null) {
            guard.match(method, paths, management.get()).ifPresent(matching::add);
        }
        for (Route route : routes) {
            route.match(method, paths, management.get()).ifPresent(matching::add);
        }
        return matching;
    }

    /**
     * Returns whether a request is a CORS preflight as a browser sends it, without credentials: no handler answers it, so routes do not
     * count it. A preflight with credentials may be an attempt to guess a password.
     *
     * @param header returns the first value of a header
     */
    public static boolean isPreflight(String method, UnaryOperator<@Nullable String> header) {
        return HttpMethod.OPTIONS.matches(method)
                && header.apply(HttpHeaders.ORIGIN) != null
                && header.apply(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD) != null
                && header.apply(HttpHeaders.AUTHORIZATION) == null;
    }

    public boolean isEmpty() {
        return routes.isEmpty() && guard == null;
    }

    /**
     * The paths at which this application's port serves management endpoints. Routes spare them, because a health check must not run
     * into a limit. Immutable and thread-safe.
     *
     * @param endpoints what endpoints answer, and nothing else
     * @param parents a route that begins with one of these names management endpoints literally, and limits them
     */
    public record ManagementPaths(List<PathPattern> endpoints, List<String> parents) {

        public static final ManagementPaths NONE = new ManagementPaths(List.of(), List.of());

        /** True if a route may limit that path by that pattern. */
        boolean allow(PathPattern pattern, PathContainer path) {
            for (PathPattern endpoint : endpoints) {
                if (endpoint.matches(path)) {
                    return areNamedBy(pattern.getPatternString());
                }
            }
            return true;
        }

        /** True if the path or pattern names management endpoints literally. */
        public boolean areNamedBy(String path) {
            return parents.stream().anyMatch(parent -> path.equals(parent) || path.startsWith(parent + "/"));
        }
    }

    /**
     * Paths and methods, and the rules that apply to them. Immutable and thread-safe.
     *
     * @param excluded paths that are not the route's, although its patterns match them
     * @param deny requests that are answered with 403
     * @param methods empty for all; a route that limits GET limits HEAD too, because the same handler answers it
     * @param rules one for each level; one if the route has none
     */
    public record Route(
            String name,
            List<PathPattern> paths,
            List<PathPattern> excluded,
            Set<String> methods,
            AccessList deny,
            List<Rule> rules) {

        /** A route, which of its patterns matched, and what reading of the path. */
        public record Match(Route route, PathPattern pattern, PathContainer path) {

            /** Returns the pattern's variable of that name, decoded; null if the pattern has none. */
            public @Nullable String variable(String name) {
                PathPattern.PathMatchInfo matched = pattern.matchAndExtract(path);
                return matched == null ? null : matched.getUriVariables().get(name);
            }
        }

        /**
         * Returns the match of the first of the paths that one of its patterns matches, and of the first of those; empty if none does.
         * Handlers are found by the first path, so that is also what variables are of.
         */
        Optional<Match> match(String method, List<PathContainer> candidates, ManagementPaths management) {
            if (includes(methods, method)) {
                for (PathContainer path : candidates) {
                    for (PathPattern pattern : paths) {
                        if (pattern.matches(path) && !excludes(path) && management.allow(pattern, path)) {
                            return Optional.of(new Match(this, pattern, path));
                        }
                    }
                }
            }
            return Optional.empty();
        }

        /** True if it limits nothing, and only denies. */
        public boolean isGuard() {
            return rules.get(0).limits().isEmpty();
        }

        /** True if it has a rule for each of its levels. */
        public boolean hasLevels() {
            return rules.get(0).key().isOfLevel();
        }

        /** True if something is settled when a request ends. */
        boolean endsLater() {
            for (Rule rule : rules) {
                if (rule.endsLater()) {
                    return true;
                }
            }
            return false;
        }

        /** True if it is known before any request that the principal is needed. */
        boolean needsPrincipal() {
            for (Rule rule : rules) {
                if (rule.needsPrincipal()) {
                    return true;
                }
            }
            return deny.needsPrincipal();
        }

        /** True if the route denies the request, whose principal is known if it has one. */
        public boolean denies(RequestView request) {
            return deny.lists(request);
        }

        /** Looks at one reading of the path: another one may still be the route's, so that no spelling gets around it. */
        private boolean excludes(PathContainer path) {
            for (PathPattern pattern : excluded) {
                if (pattern.matches(path)) {
                    return true;
                }
            }
            return false;
        }

        /** True if the method is one of them. None means all; whatever answers GET answers HEAD, too. */
        public static boolean includes(Set<String> methods, String method) {
            return methods.isEmpty() || methods.contains(method) || (method.equals("HEAD") && methods.contains("GET"));
        }

        Route parsedBy(Function<String, List<PathPattern>> parser) {
            return new Route(name, parsed(paths, parser), parsed(excluded, parser), methods, deny, rules);
        }

        private static List<PathPattern> parsed(
                List<PathPattern> patterns, Function<String, List<PathPattern>> parser) {
            return patterns.stream()
                    .flatMap(path -> parser.apply(path.getPatternString()).stream())
                    .toList();
        }
    }
}
