package io.ratelimit.spring.internal.operate;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.method.LimitedMethod;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.operate.ExplainedRequest.BadRequestException;
import io.ratelimit.spring.internal.operate.RequestExplainer.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.rule.Routes.Route;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.web.MappedHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;

/**
 * Explains which routes and annotations limit a request, whom each counts, and how its limits stand. Each is asked by
 * itself: limits that several of them share are charged by all of them when the request comes. Charges nothing.
 * Thread-safe.
 */
public final class RequestExplainer {

    private final RateLimiter limiter;
    private final Supplier<Optional<RouteLimiter>> routes;
    private final Supplier<Optional<LimitedMethodRegistry>> methods;
    private final MappedHandlers handlers;
    private final Expressions expressions;
    private final ClientAddresses addresses;
    private final Overrides overrides;

    /** Explains requests by what these know. */
    public RequestExplainer(
            RateLimiter limiter,
            Supplier<Optional<RouteLimiter>> routes,
            Supplier<Optional<LimitedMethodRegistry>> methods,
            MappedHandlers handlers,
            Expressions expressions,
            ClientAddresses addresses,
            Overrides overrides) {
        this.limiter = limiter;
        this.routes = routes;
        this.methods = methods;
        this.handlers = handlers;
        this.expressions = expressions;
        this.addresses = addresses;
        this.overrides = overrides;
    }

    /**
     * Explains a request.
     *
     * @throws BadRequestException if the parameters do not describe a request
     */
    RequestExplanation explain(
            @Nullable String method,
            @Nullable String path,
            @Nullable Object headers,
            @Nullable String principal,
            @Nullable String address) {
        ExplainedRequest request = new ExplainedRequest(method, path, headers, principal, address, addresses);
        RuleExplainer rules = new RuleExplainer(limiter, request, overrides::from);
        boolean preflight = Routes.isPreflight(request.method(), request::header);
        List<RuleExplanation> ofRoutes = ofRoutes(request, preflight, rules);
        List<RuleExplanation> ofMethods = preflight ? List.of() : ofMethods(request, rules);
        return new RequestExplanation(request.method(), request.rawPath(), rules.refusedBy(), ofRoutes, ofMethods);
    }

    private List<RuleExplanation> ofRoutes(ExplainedRequest request, boolean preflight, RuleExplainer rules) {
        return routes.get().stream()
                .flatMap(limited -> limited.matching(request.method(), request.paths()).stream())
                .filter(match -> !match.route().isGuard() || match.route().denies(request))
                .flatMap(match -> ofRoute(match, request, preflight, rules).stream())
                .toList();
    }

    private List<RuleExplanation> ofRoute(
            Route.Match match, ExplainedRequest request, boolean preflight, RuleExplainer rules) {
        Route route = match.route();
        String declaredBy = route.isGuard() ? "rate-limiter.deny" : "rate-limiter.routes." + route.name();
        Rule first = route.rules().get(0);
        if (preflight) {
            return List.of(
                    RuleExplainer.passed(declaredBy, first, "a CORS preflight without credentials is not counted"));
        }
        if (route.denies(request)) {
            return List.of(rules.denied(declaredBy, first));
        }
        return IntStream.range(0, route.rules().size())
                .mapToObj(i -> rules.explain(
                        route.hasLevels() ? declaredBy + ".levels[" + i + "]" : declaredBy,
                        route.rules().get(i),
                        () -> expressions.over(request),
                        match::variable,
                        List.of()))
                .toList();
    }

    private List<RuleExplanation> ofMethods(ExplainedRequest request, RuleExplainer rules) {
        List<RuleExplanation> explained = new ArrayList<>();
        methods.get().ifPresent(registry -> {
            for (HandlerMethod handler :
                    handlers.find(request.method(), request.paths().get(0))) {
                Class<?> type = ClassUtils.getUserClass(handler.getBeanType());
                registry.find(handler.getMethod(), type)
                        .ifPresent(method -> method.rules()
                                .forEach(rule -> explained.add(ofMethod(method, rule, type, handler, request, rules))));
            }
        });
        return explained;
    }

    private RuleExplanation ofMethod(
            LimitedMethod method,
            Rule rule,
            Class<?> type,
            HandlerMethod handler,
            ExplainedRequest request,
            RuleExplainer rules) {
        List<String> names = rule.limits().stream()
                .flatMap(limit -> Stream.ofNullable(method.publicNames().get(limit.name())))
                .map(seen -> "clients see the limit as " + seen)
                .toList();
        return rules.explain(
                type.getName() + "." + handler.getMethod().getName(),
                rule,
                () -> expressions.withoutArguments(request, bean(handler), handler.getMethod()),
                name -> null,
                names);
    }

    /** Called only by an expression, because it may have to make the bean. */
    private static Object bean(HandlerMethod handler) {
        Object bean = handler.createWithResolvedBean().getBean();
        return Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(bean), bean);
    }

    /**
     * The routes and annotations that limit a request, and how their limits stand. Immutable and thread-safe.
     *
     * @param refusedBy names of limits that refuse it now, also if refusals are only reported
     * @param routes the routes that match
     * @param methods the annotations on the method of a controller that the request is mapped to
     */
    record RequestExplanation(
            String method,
            String path,
            List<String> refusedBy,
            List<RuleExplanation> routes,
            List<RuleExplanation> methods) {

        /**
         * One route or annotation.
         *
         * @param declaredBy the property, or class and method
         * @param subject whom it counts; null if that is not known or the rule does not apply
         * @param limits the state of each limit for that subject
         * @param note why there is no subject or no state, and what the application would warn of; null otherwise
         */
        record RuleExplanation(
                String declaredBy,
                String key,
                @Nullable String subject,
                List<SubjectState> limits,
                @Nullable String note) {}
    }
}
