package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.web.OwnHandlers;
import io.ratelimit.spring.internal.web.ProblemResponse;
import io.ratelimit.spring.internal.web.RefusalShape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers the exceptions with which {@code @RateLimited} fails a handler or filter, as the filter for routes does.
 * Comes before the application's own exception handlers, because a catch-all among them would turn a refusal into a
 * 500. A handler that names the exception, or one that wraps it, still takes precedence. To come first, this is the
 * adapter of controllers, and delegates to Spring's. Thread-safe.
 */
public final class RateLimitExceptionHandler
        implements HandlerAdapter, DispatchExceptionHandler, WebExceptionHandler, Ordered {

    private final OwnHandlers own;
    private final ReactiveRefusalWriter refusals;
    private final SingletonSupplier<List<HandlerAdapter>> adapters;

    public RateLimitExceptionHandler(ApplicationContext context, ReactiveRefusalWriter refusals) {
        this.own = new OwnHandlers(context);
        this.refusals = refusals;
        this.adapters = SingletonSupplier.of(() -> context.getBeanProvider(HandlerAdapter.class)
                .orderedStream()
                .filter(adapter -> adapter != this)
                .toList());
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supports(Object handler) {
        return handler instanceof HandlerMethod
                && adapters.obtain().stream().anyMatch(adapter -> adapter.supports(handler));
    }

    @Override
    public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
        return adapters.obtain().stream()
                .filter(adapter -> adapter.supports(handler))
                .findFirst()
                .map(adapter -> adapter.handle(exchange, handler))
                .orElseGet(Mono::empty)
                .doOnNext(result -> result.setExceptionHandler(before(result.getExceptionHandler(), handler)));
    }

    /**
     * Returns the handler of failures that come with the result, as those of a method that returns a {@code Mono} do.
     */
    private DispatchExceptionHandler before(@Nullable DispatchExceptionHandler others, Object handler) {
        return (exchange, failure) ->
                others == null || (ProblemResponse.refusalIn(failure) != null && !own.handle(failure, handler))
                        ? handle(exchange, failure).then(Mono.empty())
                        : others.handleError(exchange, failure);
    }

    /** Handles failures of handlers that are not methods, and of methods that fail at once. */
    @Override
    public Mono<HandlerResult> handleError(ServerWebExchange exchange, Throwable failure) {
        return own.handle(failure, null)
                ? Mono.error(failure)
                : handle(exchange, failure).then(Mono.empty());
    }

    /** Handles failures that no exception handler has answered. */
    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        Throwable refusal = ProblemResponse.refusalIn(failure);
        if (refusal == null || exchange.getResponse().isCommitted()) {
            return Mono.error(failure);
        }
        reset(exchange.getResponse().getHeaders());
        return refusals.write(refusal, exchange);
    }

    private static void reset(HttpHeaders headers) {
        Map<String, List<String>> kept = new LinkedHashMap<>();
        headers.forEach((name, values) -> {
            if (!RefusalShape.replaces(name)) {
                kept.put(name, new ArrayList<>(values));
            }
        });
        headers.clear();
        kept.forEach((name, values) -> values.forEach(value -> headers.add(name, value)));
    }
}
