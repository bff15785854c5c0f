package io.ratelimit.spring.actuator;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.aop.LimitedMethodRegistry;
import io.ratelimit.spring.http.MappedHandlers;
import io.ratelimit.spring.http.Preflights;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.route.Route;
import io.ratelimit.spring.route.RouteLimiter;
import io.ratelimit.spring.rule.Rule;
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
 * Explains which routes and annotations limit a request, and what they would answer. Peeks at all of their limits
 * together, as the request would charge them, and charges nothing. Thread-safe.
 */
public final class RequestExplainer {

    private final RateLimiter limiter;
    private final Supplier<Optional<RouteLimiter>> routes;
    private final Supplier<Optional<LimitedMethodRegistry>> methods;
    private final MappedHandlers handlers;
    private final Expressions expressions;
    private final ClientAddresses addresses;

    public RequestExplainer(
            RateLimiter limiter,
            Supplier<Optional<RouteLimiter>> routes,
            Supplier<Optional<LimitedMethodRegistry>> methods,
            MappedHandlers handlers,
            Expressions expressions,
            ClientAddresses addresses) {
        this.limiter = limiter;
        this.routes = routes;
        this.methods = methods;
        this.handlers = handlers;
        this.expressions = expressions;
        this.addresses = addresses;
    }

    /**
     * Explains a request.
     *
     * @throws BadRequestException if it is not described as a request is
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
                Stream.concat(ofRoutes.stream(), ofMethods.stream()).toList(), limiter);
        return new RequestExplanation(
                request.method(),
                request.path(),
                answer.refusal() == null,
                answer.status(),
                answer.retryAfter(),
                answer.refusedBy(),
                ofRoutes.stream().map(answer.inWords()).toList(),
                ofMethods.stream().map(answer.inWords()).toList());
    }

    private List<ExplainedRule> ofRoutes(ExplainedRequest request, boolean preflight) {
        return routes
                .get()
                .map(limited -> limited.matching(request.method(), request.paths()))
                .orElseGet(List::of)
                .stream()
                .map(match -> ofRoute(match.route(), request, preflight))
                .toList();
    }

    private ExplainedRule ofRoute(Route route, ExplainedRequest request, boolean preflight) {
        String declaredBy = "rate-limiter.routes." + route.name();
        return preflight
                ? ExplainedRule.passed(declaredBy, route.rule(), "a CORS preflight without credentials is not counted")
                : ExplainedRule.of(declaredBy, route.rule(), request, () -> expressions.over(request));
    }

    private List<ExplainedRule> ofMethods(ExplainedRequest request) {
        List<ExplainedRule> explained = new ArrayList<>();
        methods.get().ifPresent(registry -> {
            for (HandlerMethod handler : handlers.find(request.method(), request.paths())) {
                Class<?> type = ClassUtils.getUserClass(handler.getBeanType());
                String name = type.getName() + "." + handler.getMethod().getName();
                for (Rule rule : registry.rules(handler.getMethod(), type)) {
                    explained.add(ExplainedRule.of(
                            name, rule, request, () -> expressions.withoutArguments(request, bean(handler))));
                }
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
