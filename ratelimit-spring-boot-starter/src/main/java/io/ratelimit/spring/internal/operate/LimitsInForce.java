package io.ratelimit.spring.internal.operate;

import io.ratelimit.CalendarPeriod;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.call.LimitId;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.LibraryVersion;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.LimitDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.MethodDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.OverrideDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.PlanDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.RouteDescription;
import io.ratelimit.spring.internal.operate.RateLimitsDescription.RuleDescription;
import io.ratelimit.spring.internal.rule.Routes.Route;
import io.ratelimit.spring.internal.rule.Rule;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.springframework.web.util.pattern.PathPattern;

/** Describes for the endpoint what limits the application: configured limits, routes and annotated methods. Thread-safe. */
public final class LimitsInForce {

    private record Declaration(Limit limit, String by) {}

    private final Limits configured;
    private final Supplier<List<Route>> routes;
    private final Supplier<Map<String, List<Rule>>> methods;
    private final Overrides overrides;

    /**
     * Creates a collector that reads its sources at every call.
     *
     * @param methods the rules of annotated methods by the methods' names
     */
    public LimitsInForce(
            Limits configured,
            Supplier<List<Route>> routes,
            Supplier<Map<String, List<Rule>>> methods,
            Overrides overrides) {
        this.configured = configured;
        this.routes = routes;
        this.methods = methods;
        this.overrides = overrides;
    }

    RateLimitsDescription describe(RateLimiter limiter) {
        Map<String, Map<String, Optional<Limit>>> plans = plans();
        return new RateLimitsDescription(
                LibraryVersion.find().orElse(null),
                StoreHealth.kind(limiter),
                StoreHealth.breakers(limiter),
                declarations().stream()
                        .map(declared -> describe(
                                declared.limit(),
                                plans.getOrDefault(declared.limit().name(), Map.of()),
                                declared.by()))
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
        configured
                .all()
                .forEach(limit -> add(
                        limit,
                        limit.name().equals("default") ? "rate-limiter" : "rate-limiter.limits." + limit.name(),
                        declared));
        for (Route route : routes.get()) {
            route.rules()
                    .forEach(rule -> rule.limits()
                            .forEach(limit -> add(limit, "rate-limiter.routes." + route.name(), declared)));
        }
        methods.get()
                .forEach((method, rules) -> rules.forEach(
                        rule -> rule.limits().forEach(limit -> add(limit, "@RateLimited on " + method, declared))));
        return declared.values();
    }

    private static void add(Limit limit, String by, Map<LimitId, Declaration> declared) {
        declared.putIfAbsent(LimitId.of(limit), new Declaration(limit, by));
    }

    /** Returns the plans that routes and annotations use, by the names of their limits. */
    private Map<String, Map<String, Optional<Limit>>> plans() {
        Map<String, Map<String, Optional<Limit>>> plans = new HashMap<>();
        routes.get()
                .forEach(route -> route.rules()
                        .forEach(rule -> plans.putAll(rule.charged().plans())));
        methods.get()
                .values()
                .forEach(rules ->
                        rules.forEach(rule -> plans.putAll(rule.charged().plans())));
        return plans;
    }

    private PlanDescription describe(String name, Optional<Limit> own) {
        Optional<Limit> planned = own.map(overrides::of);
        return new PlanDescription(
                name,
                planned.map(Limit::maxRequests).orElse(null),
                planned.flatMap(RateLimitsDescription::burst).orElse(null),
                planned.map(overrides::from).orElse("plan"));
    }

    /** Returns the length of a window, and the parts that it is divided into, such as {@code PT1H/60}. */
    private static String length(Limit limit) {
        int buckets = limit.quota().window().buckets();
        return buckets == 1 ? limit.windowSize().toString() : limit.windowSize() + "/" + buckets;
    }

    private LimitDescription describe(Limit own, Map<String, Optional<Limit>> plans, String declaredBy) {
        Limit limit = overrides.of(own);
        return new LimitDescription(
                limit.name(),
                limit.algorithm().label(),
                limit.maxRequests(),
                limit.quota().window().period().map(CalendarPeriod::toString).orElseGet(() -> length(limit)),
                RateLimitsDescription.burst(limit).orElse(null),
                overrides.from(limit),
                overrides
                        .of(own.name())
                        .filter(override -> override.fits(own))
                        .map(override -> OverrideDescription.of(override, own))
                        .orElse(null),
                limit.reportOnly(),
                declaredBy,
                new TreeMap<>(plans)
                        .entrySet().stream()
                                .map(plan -> describe(plan.getKey(), plan.getValue()))
                                .toList());
    }

    private static RouteDescription describe(Route route) {
        return new RouteDescription(
                route.name(),
                "rate-limiter.routes." + route.name(),
                route.paths().stream().map(PathPattern::getPatternString).toList(),
                route.methods().stream().sorted().toList(),
                route.hasLevels() ? null : describe(route.rules().get(0)),
                route.hasLevels()
                        ? route.rules().stream().map(LimitsInForce::describe).toList()
                        : List.of());
    }

    private static RuleDescription describe(Rule rule) {
        return new RuleDescription(
                rule.limits().stream().map(Limit::name).toList(),
                rule.key().text(),
                rule.onStoreFailure().name().toLowerCase(Locale.ROOT));
    }
}
