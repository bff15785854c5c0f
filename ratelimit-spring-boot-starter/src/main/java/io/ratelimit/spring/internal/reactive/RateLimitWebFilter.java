package io.ratelimit.spring.internal.reactive;

import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.CancelledLast;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.rule.PendingRoutes;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.RouteLimiter.Stage;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.web.ProblemResponse;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import io.ratelimit.spring.internal.web.RequestPaths;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Limits requests by the configured routes. Stands in the chain more than once: before and after filters that may
 * authenticate a request or change its path. A route still counts a request once. Thread-safe.
 */
public final class RateLimitWebFilter implements WebFilter, Ordered {

    private static final String PENDING = RateLimitWebFilter.class.getName() + ".pending";

    private final int order;
    private final Stage stage;
    private final RouteLimiter routes;
    private final ClientAddresses addresses;
    private final RateLimitHeaders headers;
    private final ReactiveRefusalWriter refusals;
    private final ApplicationContext application;

    /** Decides what can be decided at this stage. */
    public RateLimitWebFilter(
            int order,
            Stage stage,
            RouteLimiter routes,
            ClientAddresses addresses,
            RateLimitHeaders headers,
            ReactiveRefusalWriter refusals,
            ApplicationContext application) {
        this.order = order;
        this.stage = stage;
        this.routes = routes;
        this.addresses = addresses;
        this.headers = headers;
        this.refusals = refusals;
        this.application = application;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        if (isSpared(exchange)) {
            return chain.filter(exchange);
        }
        PendingRoutes pending = pending(exchange);
        String method = request.getMethod().name();
        pending.moveTo(
                method,
                request.getPath(),
                () -> routes.matching(method, RequestPaths.of(request.getPath().pathWithinApplication())));
        boolean settles = stage == Stage.END_OF_CHAIN && (pending.areSettledLater() || pending.settlesDecided());
        ServerWebExchange seen = stage == Stage.END_OF_CHAIN
                        && routes.latePrincipal().isSought(pending)
                ? new WatchedPrincipal(exchange, () -> routes.latePrincipal().found(pending))
                : exchange;
        Mono<Void> limited = pending.isEmpty() ? chain.filter(seen) : limit(pending, seen, chain);
        return settles ? limited.doOnError(failure -> ExchangeEnding.left(failure, exchange)) : limited;
    }

    private Mono<Void> limit(PendingRoutes pending, ServerWebExchange exchange, WebFilterChain chain) {
        OpenCall call = new OpenCall();
        return pending.areSettledLater()
                ? closing(pending, call, limit(pending, call, ending(pending, call, exchange), chain), exchange)
                : limit(pending, call, exchange, chain);
    }

    private Mono<Void> limit(PendingRoutes pending, OpenCall call, ServerWebExchange exchange, WebFilterChain chain) {
        return admits(pending, stage, call, exchange)
                .flatMap(admitted -> admitted ? proceed(pending, call, exchange, chain) : Mono.empty());
    }

    /** Closes the call before the last byte of the response. */
    private static ServerWebExchange ending(PendingRoutes pending, OpenCall call, ServerWebExchange exchange) {
        return exchange.mutate()
                .response(EndingResponse.of(exchange, pending, call))
                .build();
    }

    /**
     * Closes the call with the response, and one that is cancelled when its handler knows it. The decision on that may come even
     * later. What it fails with may still be answered by a filter before this one, as Spring Security's, or by the application's
     * exception handlers.
     */
    private static Mono<Void> closing(
            PendingRoutes pending, OpenCall call, Mono<Void> response, ServerWebExchange exchange) {
        return response.transform(CancelledLast.then(() -> pending.close(call, ExchangeEnding.cutOff(exchange))))
                .doOnSuccess(done -> atEnd(pending, call, exchange))
                .doOnError(failure -> atFailure(pending, call, failure, exchange));
    }

    private static void atFailure(PendingRoutes pending, OpenCall call, Throwable failure, ServerWebExchange exchange) {
        ExchangeEnding.left(failure, exchange);
        atEnd(pending, call, exchange);
        if (!exchange.getResponse().isCommitted()) {
            pending.leaveOpen(call);
        }
    }

    /** Before the response is sent, its status and headers may still change. Its slots are free at once. */
    private static void atEnd(PendingRoutes pending, OpenCall call, ServerWebExchange exchange) {
        if (exchange.getResponse().isCommitted()) {
            pending.close(call, ExchangeEnding.of(exchange));
        } else {
            pending.freeSlots(call);
            exchange.getResponse()
                    .beforeCommit(() -> Mono.fromRunnable(() -> pending.close(call, ExchangeEnding.of(exchange))));
        }
    }

    private Mono<Void> proceed(PendingRoutes pending, OpenCall call, ServerWebExchange exchange, WebFilterChain chain) {
        if (pending.isEmpty()) {
            return chain.filter(exchange);
        }
        UndecidedResponse undecided = new UndecidedResponse(
                exchange.getResponse(),
                Mono.defer(() ->
                        pending.isEmpty() ? Mono.just(true) : admits(pending, Stage.TURNED_AWAY, call, exchange)));
        return chain.filter(
                        new SentSession(exchange.mutate().response(undecided).build()))
                .then(Mono.defer(undecided::decide))
                .onErrorResume(undecided::decide);
    }

    /** Returns true if the request may go on; if not, it is answered. */
    private Mono<Boolean> admits(PendingRoutes pending, Stage at, OpenCall call, ServerWebExchange exchange) {
        return ReactiveRequestView.of(exchange, addresses)
                .flatMap(view -> decided(pending, view, at, call, exchange))
                .flatMap(decision -> isAdmitted(decision, pending, at, exchange))
                .onErrorResume(
                        ProblemResponse::answers,
                        undecided -> beginAnew(exchange, at).then(refuse(undecided, pending, exchange)))
                .defaultIfEmpty(true);
    }

    private Mono<Decision> decided(
            PendingRoutes pending, RequestView view, Stage at, OpenCall call, ServerWebExchange exchange) {
        return Mono.justOrEmpty(routes.decideAsync(
                        pending, view, at, call, decision -> EventLoop.handOver(decision, exchange.getRequest())))
                .flatMap(Mono::fromFuture);
    }

    private Mono<Boolean> isAdmitted(Decision decision, PendingRoutes pending, Stage at, ServerWebExchange exchange) {
        Mono<Void> begun = decision.allowed() ? Mono.empty() : beginAnew(exchange, at);
        RequestContextFilter.report(decision, exchange);
        RequestContextFilter.limits(exchange).show(decision, headers, ExposedHeaders.setter(exchange));
        return decision.allowed()
                ? Mono.just(true)
                : begun.then(refuse(new RateLimitExceededException(decision), pending, exchange));
    }

    private Mono<Boolean> refuse(Throwable refusal, PendingRoutes pending, ServerWebExchange exchange) {
        observe(pending, exchange);
        return refusals.write(refusal, exchange).thenReturn(false);
    }

    /**
     * A log-in that succeeded has left a session, and one that failed says so. Clears the headers at once; the cookie of the
     * session is added last of all.
     */
    private static Mono<Void> beginAnew(ServerWebExchange exchange, Stage at) {
        if (at != Stage.TURNED_AWAY) {
            return SentSession.endNew(exchange);
        }
        ServerHttpResponse response = exchange.getResponse();
        response.getHeaders().clear();
        response.beforeCommit(
                () -> Mono.fromRunnable(() -> response.getCookies().clear()));
        return SentSession.endOther(exchange);
    }

    /** Gives the pattern of a refused request to {@code http.server.requests}, because no handler will. */
    private static void observe(PendingRoutes pending, ServerWebExchange exchange) {
        ServerRequestObservationContext.findCurrent(exchange.getAttributes())
                .ifPresent(observed -> pending.decidedPattern().ifPresent(observed::setPathPattern));
    }

    /** A preflight never reaches a handler. A management port of its own has the application's filters, too. */
    private boolean isSpared(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        return Routes.isPreflight(request.getMethod().name(), request.getHeaders()::getFirst)
                || exchange.getApplicationContext() != application;
    }

    private static PendingRoutes pending(ServerWebExchange exchange) {
        return (PendingRoutes) exchange.getAttributes().computeIfAbsent(PENDING, absent -> new PendingRoutes());
    }
}
