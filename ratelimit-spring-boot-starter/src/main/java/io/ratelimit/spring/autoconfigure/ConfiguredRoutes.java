package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import io.ratelimit.spring.internal.rule.ActualCost;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.Condition;
import io.ratelimit.spring.internal.rule.Cost;
import io.ratelimit.spring.internal.rule.Counted;
import io.ratelimit.spring.internal.rule.Element;
import io.ratelimit.spring.internal.rule.ExpressionCheck;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import io.ratelimit.spring.internal.rule.Route;
import io.ratelimit.spring.internal.rule.RoutePattern;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.rule.Routes.ManagementPaths;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.rule.Settling;
import io.ratelimit.spring.internal.rule.SubjectKey;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.http.HttpMethod;

/** The routes that {@code rate-limiter.routes} defines. */
final class ConfiguredRoutes {

    private final RateLimiterProperties properties;
    private final Limits limits;
    private final SubjectKeyParser keys;
    private final Expressions expressions;
    private final Map<String, Counted> countedByLimits;

    ConfiguredRoutes(RateLimiterProperties properties, Limits limits, SubjectKeyParser keys, Expressions expressions) {
        this.properties = properties;
        this.limits = limits;
        this.keys = keys;
        this.expressions = expressions;
        this.countedByLimits = ConfiguredLimits.counted(properties, limits);
    }

    /** The routes, which spare management endpoints unless they name them. */
    Routes routes(Supplier<ManagementPaths> management) {
        List<Route> routes = new ArrayList<>();
        properties.routes().forEach((name, route) -> routes.add(route(name, route, "rate-limiter.routes." + name)));
        return new Routes(routes, management);
    }

    private Route route(String name, RouteProperties route, String where) {
        if (route.paths().isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.ROUTE_WITHOUT_PATHS, where, "no paths: name at least one, such as /api/**");
        }
        List<Limit> limits = limits(name, route, where);
        Rule.checkFits(route.cost(), limits, where);
        if (route.cost() != 1) {
            Rule.checkCounted(String.valueOf(route.cost()), limits, where + ".cost");
        }
        SubjectKey key = key(route.key(), where);
        Rule rule = new Rule(
                limits,
                key,
                element(route.element(), key, limits, where),
                Cost.fixed(route.cost(), where),
                Optional.ofNullable(route.onStoreFailure()).orElse(properties.onStoreFailure()),
                condition(route.condition(), where + ".condition"),
                settling(route, limits, where));
        return new Route(
                name,
                route.paths().stream()
                        .map(path -> RoutePattern.parse(path, where + ".paths"))
                        .toList(),
                route.methods().stream().map(method -> method(method, where)).collect(Collectors.toSet()),
                rule);
    }

    private Settling settling(RouteProperties route, List<Limit> limits, String where) {
        String text = route.actualCost();
        List<String> count = route.count(); // one without a value is not set
        Counted counted = count == null || count.isEmpty() ? null : Counted.parse(count, where + ".count");
        if (text != null || (counted != null && !counted.isAll())) {
            Settling.checkCorrectsOneOf(limits, where + (text == null ? ".count" : ".actual-cost"));
        }
        return Settling.of(
                text == null ? null : actualCost(text, where + ".actual-cost"), counted, countedByLimits, limits);
    }

    private ActualCost actualCost(String text, String where) {
        String header = text.startsWith("header:") ? text.substring("header:".length()) : "";
        if (SubjectKeyParser.isToken(header)) {
            return ActualCost.ofHeader(header, where);
        }
        if (!SubjectKeyParser.isExpression(text)) {
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID,
                    where,
                    "'%s' is unknown: use header:NAME for a header of the response, or an expression such as #request.attribute('NAME')"
                            .formatted(text));
        }
        return ActualCost.of(expressions.parseAtEnd(text, where, null), where);
    }

    private Predicate<Call> condition(@Nullable String text, String where) {
        if (text == null || text.isBlank()) {
            return call -> true;
        }
        SpelExpression expression = expressions.parse(text, where, null);
        ExpressionCheck.checkCondition(expression.getAST(), RequestView.class, text, where);
        return new Condition(expression, where);
    }

    private SubjectKey key(@Nullable String key, String where) {
        return key == null
                ? keys.parse(properties.key(), "rate-limiter.key", null).usedBy(where)
                : keys.parse(key, where + ".key", null);
    }

    private @Nullable Element element(@Nullable String text, SubjectKey key, List<Limit> limits, String where) {
        String property = where + ".element";
        Element element = text == null ? null : new Element(keys.parseElement(text, property, null), property);
        Element.check(element, key, limits, element == null ? where : property);
        return element;
    }

    private List<Limit> limits(String name, RouteProperties route, String where) {
        List<Limit> ofRoute = new ArrayList<>();
        for (String limit : route.limits()) {
            try {
                ofRoute.add(limits.get(limit));
            } catch (IllegalArgumentException unknown) {
                throw new InvalidRateLimitException(
                        MessageCode.LIMIT_UNKNOWN, where + ".limits", unknown.getMessage(), unknown);
            }
        }
        LimitDefinition own = route.ownLimit(name);
        if (own.isPresent()) {
            if (limits.names().contains(name)) {
                throw new InvalidRateLimitException(
                        MessageCode.LIMIT_NAME_TAKEN,
                        where,
                        "a limit '%s' of its own would count together with the limit '%s' that is configured: rename one of them"
                                .formatted(name, name));
            }
            ofRoute.add(ConfiguredLimits.withBan(own.limit(), route.ban(), where + ".ban"));
        } else {
            ConfiguredLimits.checkNoBan(route.ban(), where + ".ban");
        }
        if (ofRoute.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.ROUTE_WITHOUT_LIMITS,
                    where,
                    "no limits: name some in limits, or write max-requests for one of its own");
        }
        return ofRoute;
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
