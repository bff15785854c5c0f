package io.ratelimit.spring.internal.client;

import io.ratelimit.Decision;
import io.ratelimit.spring.internal.Causes;
import java.net.URI;
import java.util.List;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Mono;

/**
 * Limits the requests of a {@code WebClient} at each subscription, before they take a connection and without blocking. A
 * subscription that is cancelled while it waits is not charged. Thread-safe.
 */
public final class LimitedExchanges implements ExchangeFilterFunction {

    private final Remotes remotes;

    public LimitedExchanges(Remotes remotes) {
        this.remotes = remotes;
    }

    /** Adds this behind the filters that the client has, unless it has it. */
    public void addTo(Object client) {
        if (client instanceof WebClient.Builder builder) {
            builder.filters(this::addTo);
        }
    }

    private void addTo(List<ExchangeFilterFunction> filters) {
        if (!filters.contains(this)) {
            filters.add(this);
        }
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> remotes.call(request.url())
                .map(call -> exchange(call, request, next))
                .orElseGet(() -> next.exchange(request)));
    }

    private static Mono<ClientResponse> exchange(OutboundCall call, ClientRequest request, ExchangeFunction next) {
        return Mono.fromFuture(call::acquireAsync)
                .map(call::checked)
                .flatMap(admitted -> next.exchange(request)
                        .doOnNext(response -> call.answered(
                                response.statusCode().value(),
                                response.headers().asHttpHeaders(),
                                admitted))
                        .doOnError(failure -> failed(call, request.url(), failure, admitted)));
    }

    /**
     * A filter of the application stands nearer to the partner, and may have made an exception of the answer, or of that of another server, such
     * as one that gives tokens.
     */
    private static void failed(OutboundCall call, URI url, Throwable failure, Decision admitted) {
        Causes.of(failure, WebClientResponseException.class)
                .filter(answer -> answer.getRequest() != null
                        && RemoteHost.of(answer.getRequest().getURI()).equals(RemoteHost.of(url)))
                .ifPresent(answer -> call.answered(answer.getStatusCode().value(), answer.getHeaders(), admitted));
    }
}
