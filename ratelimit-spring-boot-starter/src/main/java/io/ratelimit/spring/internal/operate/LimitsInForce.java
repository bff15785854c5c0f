package io.ratelimit.spring.internal.operate;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.LimitId;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.LimitDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.MethodDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.RouteDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.RuleDescription;
import io.ratelimit.spring.internal.rule.Route;
import io.ratelimit.spring.internal.rule.Rule;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.web.util.pattern.PathPattern;

/** Collects what limits the application: configured limits, routes and annotated methods. Thread-safe. */
public final class LimitsInForce {

    private record Declaration(Limit limit, String by) {}

    private final Limits configured;
    private final Supplier<List<Route>> routes;
    private final Supplier<Map<String, List<Rule>>> methods;

    /**
     * Creates a collector that reads its sources at every call.
     *
     * @param methods the rules of annotated methods by the methods' names
     */
    public LimitsInForce(Limits configured, Supplier<List<Route>> routes, Supplier<Map<String, List<Rule>>> methods) {
        this.configured = configured;
        this.routes = routes;
        this.methods = methods;
    }

    RateLimitsDescription describe(RateLimiter limiter) {
        return new RateLimitsDescription(
                StoreDescription.kind(limiter),
                StoreDescription.breakers(limiter),
                declarations().stream()
                        .map(declared -> describe(declared.limit(), declared.by()))
                        .toList(),
                routes.get().stream().map(LimitsInForce::describe).toList(),
                methods.get().entrySet().stream()
                        .map(method -> new MethodDescription(
                                method.getKey(),
                                method.getValue().stream()
                                        .map(LimitsInForce::describe)
                                        .toList()))
                        .toList());
    }

    List<Limit> limits() {
        return declarations().stream().map(Declaration::limit).toList();
    }

    /**
     * Returns every limit and where it was first declared. Limits with equal ids share their counts, even if their bans
     * differ.
     */
    private Collection<Declaration> declarations() {
        Map<LimitId, Declaration> declared = new LinkedHashMap<>();
        configured.names().stream()
                .sorted()
                .map(configured::get)
                .forEach(limit -> add(
                        limit,
                        limit.name().equals("default") ? "rate-limiter" : "rate-limiter.limits." + limit.name(),
                        declared));
        for (Route route : routes.get()) {
            route.rule().limits().forEach(limit -> add(limit, "rate-limiter.routes." + route.name(), declared));
        }
        methods.get()
                .forEach((method, rules) -> rules.forEach(
                        rule -> rule.limits().forEach(limit -> add(limit, "@RateLimited on " + method, declared))));
        return declared.values();
    }

    private static void add(Limit limit, String by, Map<LimitId, Declaration> declared) {
        declared.putIfAbsent(LimitId.of(limit), new Declaration(limit, by));
    }

    private static LimitDescription describe(Limit limit, String declaredBy) {
        return new LimitDescription(
                limit.name(),
                limit.algorithm().label(),
                limit.maxRequests(),
                limit.windowSize().toString(),
                limit.algorithm() == Algorithm.TOKEN_BUCKET ? limit.capacity() : null,
                declaredBy);
    }

    private static RouteDescription describe(Route route) {
        return new RouteDescription(
                route.name(),
                "rate-limiter.routes." + route.name(),
                route.paths().stream().map(PathPattern::getPatternString).toList(),
                route.methods().stream().sorted().toList(),
                describe(route.rule()));
    }

    private static RuleDescription describe(Rule rule) {
        return new RuleDescription(
                rule.limits().stream().map(Limit::name).toList(),
                rule.key().text(),
                rule.onStoreFailure().name().toLowerCase(Locale.ROOT));
    }
}
