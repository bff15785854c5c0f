package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.method.SubscribedRequest;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Gives the Reactor context the request, for annotated methods. Stands first in the chain, so that filters may call
 * them, and last, where the exchange says who is authenticated. Thread-safe.
 */
public final class RequestContextFilter implements WebFilter, Ordered {

    private final int order;
    private final RateLimitHeaders headers;
    private final ClientAddresses addresses;

    public RequestContextFilter(int order, RateLimitHeaders headers, ClientAddresses addresses) {
        this.order = order;
        this.headers = headers;
        this.addresses = addresses;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        SubscribedRequest request = new ExchangeRequest(exchange, headers, addresses);
        return chain.filter(exchange).contextWrite(context -> context.put(SubscribedRequest.class, request));
    }
}
