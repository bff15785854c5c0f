package io.ratelimit.spring.internal.operate;

import io.ratelimit.Algorithm;
import io.ratelimit.CalendarPeriod;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.call.LimitId;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.LibraryVersion;
import io.ratelimit.spring.internal.live.LimitOverride;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.operate.LimitsInForce.RateLimitsDescription.LimitDescription;
import io.ratelimit.spring.internal.operate.LimitsInForce.RateLimitsDescription.MethodDescription;
import io.ratelimit.spring.internal.operate.LimitsInForce.RateLimitsDescription.OverrideDescription;
import io.ratelimit.spring.internal.operate.LimitsInForce.RateLimitsDescription.PlanDescription;
import io.ratelimit.spring.internal.operate.LimitsInForce.RateLimitsDescription.RouteDescription;
import io.ratelimit.spring.internal.operate.LimitsInForce.RateLimitsDescription.RuleDescription;
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
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.pattern.PathPattern;

/** Collects what limits the application: configured limits, routes and annotated methods. Thread-safe. */
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
        configured.names().stream()
                .sorted()
                .map(configured::get)
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
                planned.flatMap(LimitsInForce::burst).orElse(null),
                planned.map(overrides::from).orElse("plan"));
    }

    private static Optional<Long> burst(Limit limit) {
        return limit.algorithm() == Algorithm.TOKEN_BUCKET ? Optional.of(limit.capacity()) : Optional.empty();
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
                burst(limit).orElse(null),
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

    /**
     * The limits of an application. Immutable and thread-safe.
     *
     * @param version of this library; null if its classes do not come from the jar
     * @param store {@code redis} or {@code in-memory}
     * @param breakers whether calls are sent to each Redis node that was called: {@code closed}, {@code open} or
     *     {@code half-open}
     */
    record RateLimitsDescription(
            @Nullable String version,
            String store,
            Map<String, String> breakers,
            List<LimitDescription> limits,
            List<RouteDescription> routes,
            List<MethodDescription> methods) {

        /**
         * A limit.
         *
         * @param windowSize as ISO 8601 writes durations, {@code PT1M} for a minute; with the number of its parts {@code PT1H/60},
         *     and the period of a calendar such as {@code month-1@UTC}
         * @param burst of a token bucket only
         * @param from where the numbers come from: {@code configuration} or {@code override}
         * @param override what holds for a while in place of the limit's own numbers; null if nothing does
         * @param reportOnly whether it refuses nothing
         * @param declaredBy the property or the annotated method that first names it
         * @param plans other numbers, which calls of routes and annotated methods may have
         */
        public record LimitDescription(
                String name,
                String algorithm,
                long maxRequests,
                String windowSize,
                @Nullable Long burst,
                String from,
                @Nullable OverrideDescription override,
                boolean reportOnly,
                String declaredBy,
                List<PlanDescription> plans) {}

        /**
         * Numbers of a limit for calls of a plan; {@code maxRequests} is null if it is unlimited.
         *
         * @param from where the numbers come from: {@code plan} or {@code override}
         */
        public record PlanDescription(
                String name,
                @Nullable Long maxRequests,
                @Nullable Long burst,
                String from) {}

        /**
         * An override: until when it is in force, and the limit's own numbers meanwhile.
         *
         * @param until by the store's clock
         */
        public record OverrideDescription(
                String until, long ownMaxRequests, @Nullable Long ownBurst) {

            static OverrideDescription of(LimitOverride override, Limit own) {
                return new OverrideDescription(
                        override.until().toString(),
                        own.maxRequests(),
                        burst(own).orElse(null));
            }
        }

        /** A route; {@code methods} is empty for all, and {@code rule} is null if there are levels. */
        public record RouteDescription(
                String name,
                String declaredBy,
                List<String> paths,
                List<String> methods,
                @Nullable RuleDescription rule,
                List<RuleDescription> levels) {}

        /** An annotated method, with a rule for each of its annotations. */
        public record MethodDescription(String method, List<RuleDescription> rules) {}

        /** Names of limits, the key that they count by, and what happens while the store fails. */
        public record RuleDescription(List<String> limits, String key, String onStoreFailure) {}
    }
}
