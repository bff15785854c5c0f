package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LevelProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import io.ratelimit.spring.internal.rule.AccessList;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import io.ratelimit.spring.internal.rule.Plans;
import io.ratelimit.spring.internal.rule.RoutePattern;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.rule.Routes.ManagementPaths;
import io.ratelimit.spring.internal.rule.Routes.Route;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.internal.rule.RuleText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.pattern.PathPattern;

/** The routes that {@code rate-limiter.routes} defines. */
final class ConfiguredRoutes {

    private final RateLimiterProperties properties;
    private final RuleFactory rules;

    ConfiguredRoutes(RateLimiterProperties properties, RuleFactory rules) {
        this.properties = properties;
        this.rules = rules;
    }

    /** Returns the routes, which spare management endpoints unless they name them. */
    Routes routes(Supplier<ManagementPaths> management) {
        List<Route> routes = new ArrayList<>();
        properties.routes().forEach((name, route) -> routes.add(route(name, route, "rate-limiter.routes." + name)));
        return new Routes(routes, guard(), management);
    }

    private @Nullable Route guard() {
        AccessList deny = rules.deny(properties.deny(), "rate-limiter.deny");
        return deny.isEmpty()
                ? null
                : new Route("deny", patterns(List.of("/**"), ""), List.of(), Set.of(), deny, List.of(Rule.NONE));
    }

    private Route route(String name, RouteProperties route, String where) {
        if (route.paths().isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.ROUTE_WITHOUT_PATHS, where + ".paths", "no paths: name at least one, such as /api/**");
        }
        List<PathPattern> paths = patterns(route.paths(), where + ".paths");
        List<PathPattern> excluded = patterns(route.exclude(), where + ".exclude");
        RoutePattern.checkExcluded(paths, excluded, where + ".exclude");
        return new Route(
                name,
                paths,
                excluded,
                route.methods().stream().map(method -> method(method, where)).collect(Collectors.toSet()),
                rules.deny(route.deny(), where + ".deny"),
                rules(name, route, RoutePattern.variables(paths), where));
    }

    private static List<PathPattern> patterns(List<String> paths, String where) {
        return paths.stream().map(path -> RoutePattern.parse(path, where)).toList();
    }

    private List<Rule> rules(String name, RouteProperties route, Set<String> pathVariables, String where) {
        if (route.cost().isBlank()) {
            throw WrittenValues.empty(where + ".cost");
        }
        if (route.levels().isEmpty()) {
            List<Limit> limits = limits(name, route, where);
            LevelProperties whole = new LevelProperties(route.limits(), route.key(), route.plan(), route.element());
            return List.of(rules.rule(text(route, whole, pathVariables, limits, limits, where, where)));
        }
        RouteLevels.check(route, where);
        List<List<Limit>> limits = new ArrayList<>();
        for (LevelProperties level : route.levels()) {
            limits.add(named(level.limits(), route, level(where, limits.size())));
        }
        List<Limit> together = limits.stream().flatMap(List::stream).toList();
        List<Rule> levels = new ArrayList<>();
        for (LevelProperties level : route.levels()) {
            int index = levels.size();
            Rule rule = rules.rule(
                    text(route, level, pathVariables, limits.get(index), together, where, level(where, index)));
            levels.add(rule.asLevel(levels.isEmpty() ? rule : levels.get(0)));
        }
        return levels;
    }

    private static String level(String route, int index) {
        return route + ".levels[" + index + "]";
    }

    /** @param at where limits and key stand: the route, or one of its levels */
    private static RuleText text(
            RouteProperties route,
            LevelProperties level,
            Set<String> pathVariables,
            List<Limit> limits,
            List<Limit> together,
            String where,
            String at) {
        return new RuleText(
                at,
                property -> (RouteLevels.PROPERTIES.contains(property) ? at : where) + "." + property,
                null,
                RequestView.class,
                pathVariables,
                limits,
                together,
                plans(route, limits, where),
                level.plan(),
                level.key(),
                level.element(),
                route.cost().equals("1") ? null : route.cost(),
                route.actualCost(),
                Objects.requireNonNullElse(route.count(), List.of()),
                route.condition(),
                route.allow(),
                route.onStoreFailure() == null ? null : route.onStoreFailure().name());
    }

    /** The limit of the route's own is the last one. */
    private static Map<String, Plans> plans(RouteProperties route, List<Limit> limits, String where) {
        if (route.plans().isEmpty()) {
            return Map.of();
        }
        if (route.maxRequests() == null) {
            ConfiguredLimits.checkNoPlans(route.plans(), where + ".plans");
        }
        Limit own = limits.get(limits.size() - 1);
        return Map.of(own.name(), ConfiguredLimits.plans(route.plans(), own, where + ".plans"));
    }

    private List<Limit> limits(String name, RouteProperties route, String where) {
        List<Limit> limits = new ArrayList<>(named(route.limits(), route, where));
        LimitDefinition own = new LimitDefinition(
                where,
                name,
                route.useAlgo(),
                route.maxRequests(),
                route.windowSize(),
                route.burst(),
                route.lease(),
                route.shards(),
                route.approximate(),
                route.buckets(),
                null);
        if (own.isPresent()) {
            if (rules.isConfigured(name)) {
                throw new InvalidRateLimitException(
                        MessageCode.LIMIT_NAME_TAKEN,
                        where,
                        "a limit '%s' of its own would count together with the limit '%s' that is configured: rename one of them"
                                .formatted(name, name));
            }
            Limit limit = ConfiguredLimits.withBan(own.limit(), route.ban(), where + ".ban");
            limits.add(route.reportOnly() ? limit.withReportOnly() : limit);
        } else {
            ConfiguredLimits.checkNoBan(route.ban(), where + ".ban");
        }
        if (limits.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.ROUTE_WITHOUT_LIMITS,
                    where,
                    "no limits: name some in limits, or write max-requests for one of its own");
        }
        return limits;
    }

    private List<Limit> named(List<String> names, RouteProperties route, String where) {
        return names.stream()
                .map(name -> rules.limit(name, where + ".limits"))
                .map(limit -> route.reportOnly() ? limit.withReportOnly() : limit)
                .toList();
    }

    private static String method(String text, String where) {
        String method = text.toUpperCase(Locale.ROOT);
        if (Stream.of(HttpMethod.values()).noneMatch(known -> known.matches(method))) {
            throw new InvalidRateLimitException(
                    MessageCode.METHOD_INVALID,
                    where + ".methods",
                    "'%s' is not an HTTP method: use some of %s, or leave methods out for all"
                            .formatted(text, Arrays.toString(HttpMethod.values())));
        }
        return method;
    }
}
