package io.ratelimit.spring.internal.reactive;

import io.ratelimit.Decision;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.method.SubscribedRequest;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.Endpoints;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import io.ratelimit.spring.internal.web.ResponseLimits;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** An exchange as annotated methods see it. Thread-safe. */
final class ExchangeRequest implements SubscribedRequest {

    private static final String LIMITS = ExchangeRequest.class.getName() + ".limits";

    private final ServerWebExchange exchange;
    private final RateLimitHeaders headers;
    private final ClientAddresses addresses;

    ExchangeRequest(ServerWebExchange exchange, RateLimitHeaders headers, ClientAddresses addresses) {
        this.exchange = exchange;
        this.headers = headers;
        this.addresses = addresses;
    }

    /** The limits that the response shows. */
    static ResponseLimits limits(ServerWebExchange exchange) {
        Map<String, Object> attributes = exchange.getAttributes();
        return (ResponseLimits) attributes.computeIfAbsent(LIMITS, absent -> new ResponseLimits());
    }

    @Override
    public Mono<RequestView> view() {
        return ReactiveRequestView.of(exchange, addresses);
    }

    @Override
    public Consumer<Decision> response(Class<?> bean) {
        Object handler = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
        return Endpoints.isOf(bean, handler) ? response() : decision -> {};
    }

    @Override
    public Consumer<Decision> response() {
        return decision -> limits(exchange).tryShow(decision, headers, ExposedHeaders.setter(exchange));
    }
}
