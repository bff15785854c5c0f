package io.ratelimit.spring.actuator;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.actuator.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.aop.LimitedMethodRegistry;
import io.ratelimit.spring.http.MappedHandlers;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.key.NotKnownException;
import io.ratelimit.spring.route.RouteLimiter;
import io.ratelimit.spring.route.RouteMatch;
import io.ratelimit.spring.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
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
     * @throws io.ratelimit.StoreUnavailableException if the store gave no answer
     */
    RequestExplanation explain(
            @Nullable String method,
            @Nullable String path,
            @Nullable Object headers,
            @Nullable String principal,
            @Nullable String address) {
        ExplainedRequest request = new ExplainedRequest(method, path, headers, principal, address, addresses);
        List<Asked> ofRoutes = ofRoutes(request);
        List<Asked> ofMethods = ofMethods(request);
        List<Charge> charges = new ArrayList<>();
        ofRoutes.forEach(asked -> charges.addAll(asked.charges()));
        ofMethods.forEach(asked -> charges.addAll(asked.charges()));
        Decision decision = charges.isEmpty()
                ? Decision.unanswered()
                : limiter.peek(new Acquisition(charges, Optional.of(FailurePolicy.LOCAL)));
        boolean never =
                ofRoutes.stream().anyMatch(Asked::never) || ofMethods.stream().anyMatch(Asked::never);
        Answers answers = new Answers(decision);
        return new RequestExplanation(
                request.method(),
                request.path(),
                !never && decision.refusing().isEmpty(),
                never ? null : decision.retryAfter().toString(),
                decision.refusing().stream()
                        .map(status -> status.limit().name())
                        .distinct()
                        .toList(),
                ofRoutes.stream().map(answers::of).toList(),
                ofMethods.stream().map(answers::of).toList());
    }

    private List<Asked> ofRoutes(ExplainedRequest request) {
        List<RouteMatch> matches = routes.get()
                .map(limited -> limited.matching(request.method(), request.paths()))
                .orElseGet(List::of);
        return matches.stream()
                .map(match -> Asked.of(
                        "rate-limiter.routes." + match.route().name(),
                        match.route().rule(),
                        new Call(request, () -> expressions.over(request))))
                .toList();
    }

    private List<Asked> ofMethods(ExplainedRequest request) {
        List<Asked> asked = new ArrayList<>();
        methods.get().ifPresent(registry -> {
            for (HandlerMethod handler : handlers.find(request.method(), request.paths())) {
                Class<?> type = ClassUtils.getUserClass(handler.getBeanType());
                String name = type.getName() + "." + handler.getMethod().getName();
                for (Rule rule : registry.rules(handler.getMethod(), type)) {
                    asked.add(Asked.of(
                            name, rule, new Call(request, () -> expressions.withoutArguments(request, bean(handler)))));
                }
            }
        });
        return asked;
    }

    /** Called only by an expression, because it may have to make the bean. */
    private static Object bean(HandlerMethod handler) {
        Object bean = handler.createWithResolvedBean().getBean();
        return Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(bean), bean);
    }

    /** What a rule asks of the request; no charges and a note if it asks nothing. */
    private record Asked(
            String declaredBy,
            Rule rule,
            List<Charge> charges,
            boolean never,
            @Nullable String note) {

        static Asked of(String declaredBy, Rule rule, Call call) {
            try {
                return Rule.asked(List.of(rule), call)
                        .map(asked ->
                                new Asked(declaredBy, rule, asked.acquisition().charges(), false, null))
                        .orElseGet(() -> new Asked(
                                declaredBy, rule, List.of(), false, "does not apply: its condition is false"));
            } catch (NotKnownException unknown) {
                return new Asked(declaredBy, rule, List.of(), false, "not known: " + unknown.getMessage());
            } catch (CostExceedsCapacityException tooMuch) {
                return new Asked(declaredBy, rule, List.of(), true, "refuses: " + tooMuch.getMessage());
            }
        }
    }

    /** Hands the answers of one decision out to the rules, in the order in which they asked. Not thread-safe. */
    private static final class Answers {

        private final Decision decision;
        private int next;

        Answers(Decision decision) {
            this.decision = decision;
        }

        RuleExplanation of(Asked asked) {
            List<SubjectState> states = new ArrayList<>();
            for (int i = 0; i < asked.charges().size(); i++) {
                if (next < decision.limits().size()) { // an application's own limiter may leave them out
                    LimitStatus status = decision.limits().get(next++);
                    states.add(SubjectState.of(status, decision.source()));
                }
            }
            String subject =
                    asked.charges().isEmpty() ? null : asked.charges().get(0).subject();
            String note = subject != null && subject.equals("ip:" + ClientAddresses.UNKNOWN)
                    ? "the client's address is not known: name it, such as address=203.0.113.7"
                    : asked.note();
            return new RuleExplanation(asked.declaredBy(), asked.rule().key().text(), subject, states, note);
        }
    }
}
