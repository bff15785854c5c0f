package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.rule.Ending;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/** Tells how an exchange has ended. */
final class ExchangeEnding {

    private static final String LEFT = ExchangeEnding.class.getName() + ".left";

    private ExchangeEnding() {}

    /** Keeps an exception that has left the handlers, for the end of its exchange: it counts, whatever answers it. */
    static void left(Throwable failure, ServerWebExchange exchange) {
        exchange.getAttributes().put(LEFT, failure);
    }

    /** The response is sent. */
    static Ending of(ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        return exchange.getAttribute(LEFT) instanceof Throwable left
                ? Ending.answeredElsewhere(status(response), left, response.getHeaders()::getFirst)
                : Ending.response(status(response), null, response.getHeaders()::getFirst);
    }

    /** The application has broken off a response that had begun. */
    static Ending brokenOff(Throwable failure, ServerWebExchange exchange) {
        return Ending.brokenOff(failure, exchange.getResponse().getHeaders()::getFirst);
    }

    /** The client has left. */
    static Ending cutOff(ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        return Ending.cutOff(response.isCommitted() ? status(response) : null, null, response.getHeaders()::getFirst);
    }

    private static int status(ServerHttpResponse response) {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? 200 : status.value();
    }
}
