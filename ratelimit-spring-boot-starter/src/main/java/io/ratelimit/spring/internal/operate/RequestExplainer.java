package io.ratelimit.spring.internal.operate;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.operate.ExplainedRule.Part;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.Route;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.web.MappedHandlers;
import io.ratelimit.spring.internal.web.Preflights;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;

/**
 * Explains which routes and annotations limit a request, and what they would answer. Peeks at their limits as
 * the request would charge them, and charges nothing. Thread-safe.
 */
public final class RequestExplainer {

    private final RateLimiter limiter;
    private final Supplier<Optional<RouteLimiter>> routes;
    private final Supplier<Optional<LimitedMethodRegistry>> methods;
    private final MappedHandlers handlers;
    private final Expressions expressions;
    private final ClientAddresses addresses;
    private final boolean reportOnly;

    /** @param reportOnly whether the limiter refuses nothing */
    public RequestExplainer(
            RateLimiter limiter,
            Supplier<Optional<RouteLimiter>> routes,
            Supplier<Optional<LimitedMethodRegistry>> methods,
            MappedHandlers handlers,
            Expressions expressions,
            ClientAddresses addresses,
            boolean reportOnly) {
        this.limiter = limiter;
        this.routes = routes;
        this.methods = methods;
        this.handlers = handlers;
        this.expressions = expressions;
        this.addresses = addresses;
        this.reportOnly = reportOnly;
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
        boolean preflight = Preflights.isSpared(request.method(), request::header);
        List<ExplainedRule> ofRoutes = ofRoutes(request, preflight);
        List<ExplainedRule> ofMethods = preflight ? List.of() : ofMethods(request);
        ExplainedAnswer answer = ExplainedAnswer.of(
                Stream.concat(ofRoutes.stream(), ofMethods.stream()).toList(), limiter, reportOnly);
        return new RequestExplanation(
                request.method(),
                request.path(),
                answer.isAllowed(),
                answer.status(),
                answer.retryAfter(),
                answer.refusedBy(),
                ofRoutes.stream().map(answer::inWords).toList(),
                ofMethods.stream().map(answer::inWords).toList());
    }

    private List<ExplainedRule> ofRoutes(ExplainedRequest request, boolean preflight) {
        return routes.get()
                .map(limited -> limited.matching(request.method(), request.paths()).stream()
                        .map(match -> preflight ? passed(match.route()) : ofRoute(match.route(), request, limited))
                        .toList())
                .orElseGet(List::of);
    }

    private static ExplainedRule passed(Route route) {
        return ExplainedRule.passed(
                declaredBy(route), route.rule(), "a CORS preflight without credentials is not counted");
    }

    private ExplainedRule ofRoute(Route route, ExplainedRequest request, RouteLimiter limited) {
        return limited.beforeAuthentication(
                        route.rule(), request, view -> ofRoute(Part.BEFORE_AUTHENTICATION, route, view))
                .orElseGet(() -> ofRoute(Part.AUTHENTICATED, route, request));
    }

    private ExplainedRule ofRoute(Part part, Route route, RequestView request) {
        return ExplainedRule.of(part, declaredBy(route), route.rule(), request, () -> expressions.over(request));
    }

    private static String declaredBy(Route route) {
        return "rate-limiter.routes." + route.name();
    }

    private List<ExplainedRule> ofMethods(ExplainedRequest request) {
        List<ExplainedRule> explained = new ArrayList<>();
        methods.get().ifPresent(registry -> {
            for (HandlerMethod handler :
                    handlers.find(request.method(), request.paths().get(0))) {
                Class<?> type = ClassUtils.getUserClass(handler.getBeanType());
                String name = type.getName() + "." + handler.getMethod().getName();
                registry.find(handler.getMethod(), type).ifPresent(method -> {
                    for (Rule rule : method.rules()) {
                        explained.add(ExplainedRule.of(
                                        Part.METHOD,
                                        name,
                                        rule,
                                        request,
                                        () -> expressions.withoutArguments(request, bean(handler)))
                                .ofMethod(method));
                    }
                });
            }
        });
        return explained;
    }

    /** Called only by an expression, because it may have to make the bean. */
    private static Object bean(HandlerMethod handler) {
        Object bean = handler.createWithResolvedBean().getBean();
        return Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(bean), bean);
    }
}
