package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.RefusalResponse;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.ProblemResponse;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import io.ratelimit.spring.internal.web.RefusalShape;
import io.ratelimit.spring.internal.web.RefusalShape.Shaped;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Answers refused requests, for the filter and for annotated methods alike. Thread-safe. */
public final class ReactiveRefusalWriter {

    private final ClientAddresses addresses;
    private final RateLimitHeaders headers;
    private final RefusalCors cors;
    private final @Nullable SecurityHeaders security;
    private final ErrorViews views;
    private final RefusalShape shape;

    public ReactiveRefusalWriter(ApplicationContext context, ClientAddresses addresses, RateLimitHeaders headers) {
        this.addresses = addresses;
        this.headers = headers;
        this.cors = new RefusalCors(context);
        this.security = ClassUtils.isPresent(
                        "org.springframework.security.web.server.SecurityWebFilterChain", context.getClassLoader())
                ? new SecurityHeaders(context)
                : null;
        this.views = new ErrorViews(context);
        this.shape = new RefusalShape(context);
    }

    /**
     * Answers instead of whatever the response holds so far.
     *
     * @throws IllegalArgumentException if the failure is not of a limit
     */
    Mono<Void> write(Throwable failure, ServerWebExchange exchange) {
        ProblemResponse problem = ProblemResponse.of(failure);
        RequestContextFilter.limits(exchange).showRefusing(failure, headers, ExposedHeaders.setter(exchange));
        ProblemResponse told = problem.retriedAfter(
                seconds -> RequestContextFilter.limits(exchange).told(seconds, headers));
        Locale locale =
                Objects.requireNonNullElseGet(exchange.getLocaleContext().getLocale(), Locale::getDefault);
        return ReactiveRequestView.of(exchange, addresses)
                .map(view -> shape.shape(told, view, locale))
                .flatMap(shaped -> cors.apply(exchange)
                        .then(security == null ? Mono.empty() : security.apply(exchange))
                        .then(Mono.defer(() -> write(shaped, locale, exchange))));
    }

    private Mono<Void> write(Shaped shaped, Locale locale, ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        RefusalResponse refusal = shaped.response();
        response.setStatusCode(HttpStatusCode.valueOf(refusal.status()));
        refusal.headers().forEach((name, value) -> response.getHeaders().set(name, value));
        RefusalCors.expose(response);
        Mono<Void> body = Mono.defer(() -> {
            byte[] bytes = refusal.body().getBytes(StandardCharsets.UTF_8);
            response.getHeaders().setContentLength(bytes.length);
            return response.writeWith(Mono.just(response.bufferFactory().wrap(bytes)));
        });
        return shaped.isPage()
                ? views.render(shaped, locale, exchange).flatMap(rendered -> rendered ? Mono.empty() : body)
                : body;
    }
}
