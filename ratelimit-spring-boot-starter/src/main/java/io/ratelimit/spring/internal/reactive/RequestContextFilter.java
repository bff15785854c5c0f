package io.ratelimit.spring.internal.reactive;

import io.ratelimit.Decision;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.method.SubscribedRequest;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import io.ratelimit.spring.internal.web.ResponseLimits;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Gives the Reactor context the request, for annotated methods. Stands first in the chain, so that filters may call
 * them, and last, where the exchange says who is authenticated. Thread-safe.
 */
public final class RequestContextFilter implements WebFilter, Ordered {

    private static final String LIMITS = RequestContextFilter.class.getName() + ".limits";

    private final int order;
    private final RateLimitHeaders headers;
    private final ClientAddresses addresses;

    public RequestContextFilter(int order, RateLimitHeaders headers, ClientAddresses addresses) {
        this.order = order;
        this.headers = headers;
        this.addresses = addresses;
    }

    /** Returns the limits that the response shows. */
    static ResponseLimits limits(ServerWebExchange exchange) {
        Map<String, Object> attributes = exchange.getAttributes();
        return (ResponseLimits) attributes.computeIfAbsent(LIMITS, absent -> new ResponseLimits());
    }

    /** Tells the application which limits that only report the request exceeds. */
    static void report(Decision decision, ServerWebExchange exchange) {
        if (!decision.reported().isEmpty() && !decision.exceeded().isEmpty()) {
            exchange.getAttributes()
                    .compute(RequestView.EXCEEDED_LIMITS, (name, before) -> ResponseLimits.exceeded(before, decision));
        }
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ExchangeRequest request = new ExchangeRequest(exchange, headers, addresses);
        return chain.filter(exchange)
                .doOnTerminate(request::end)
                .doOnCancel(request::end)
                .contextWrite(context -> context.put(SubscribedRequest.class, request));
    }

    /** An exchange as annotated methods see it. Thread-safe. */
    private static final class ExchangeRequest implements SubscribedRequest {

        private final ServerWebExchange exchange;
        private final RateLimitHeaders headers;
        private final ClientAddresses addresses;
        private volatile boolean over;

        ExchangeRequest(ServerWebExchange exchange, RateLimitHeaders headers, ClientAddresses addresses) {
            this.exchange = exchange;
            this.headers = headers;
            this.addresses = addresses;
        }

        /**
         * Called before the server knows of the end: Tomcat and Jetty use their objects for the next request. The session of a
         * WebSocket goes on after its handshake on all servers but Netty.
         */
        void end() {
            over = !(handler() instanceof WebSocketHandler);
        }

        @Override
        public Mono<RequestView> view() {
            return over ? Mono.empty() : ReactiveRequestView.of(exchange, addresses);
        }

        @Override
        public Consumer<Decision> response(Class<?> bean) {
            return ResponseLimits.showThoseOf(bean, handler()) ? response() : decision -> report(decision, exchange);
        }

        @Override
        public long told(long seconds) {
            return limits(exchange).told(seconds, headers);
        }

        @Override
        public Consumer<Decision> response() {
            return decision -> {
                report(decision, exchange);
                if (!over) {
                    limits(exchange).tryShow(decision, headers, ExposedHeaders.setter(exchange));
                }
            };
        }

        private @Nullable Object handler() {
            return exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
        }
    }
}
