package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Charges of requests whose clients leave while the response is sent. */
class CutOffResponseTest {

    private static final class Exchange extends ServerWebExchangeDecorator {

        private final ApplicationContext application;

        Exchange(ApplicationContext application, MockServerWebExchange exchange) {
            super(exchange);
            this.application = application;
        }

        @Override
        public ApplicationContext getApplicationContext() {
            return application;
        }
    }

    /** Servers other than Netty notice it when they write, which is after a {@code Mono} is complete. */
    @Test
    void oneBufferThatCannotBeSentCostsWhatWasUsed() {
        with(application -> {
            MockServerWebExchange exchange = exchange("/costs");
            exchange.getResponse().setWriteHandler(body -> Mono.error(new IOException("for the test")));
            filtered(application, "BeforeAuthentication", new Exchange(application, exchange), handled -> {
                        handled.getAttributes().put("tokens", 700);
                        return handled.getResponse().writeWith(Mono.just(buffer()));
                    })
                    .onErrorComplete()
                    .block(Patience.LONGEST);
            assertThat(remaining("costs", application)).isEqualTo(300);
        });
    }

    @Test
    void anExceptionThatHasLeftTheHandlersCountsAlsoIfItsAnswerIsCutOff() {
        with(application -> {
            leaveWithinTheAnswer(application, response -> {});
            assertThat(remaining("failures", application)).isEqualTo(99);
        });
    }

    @Test
    void anExceptionThatHasLeftTheHandlersCountsAlsoIfItsAnswerIsCutOffAsItBegins() {
        with(application -> {
            leaveWithinTheAnswer(application, response -> response.beforeCommit(Mono::never));
            assertThat(remaining("failures", application)).isEqualTo(99);
        });
    }

    /** Answers as Spring Security does: from a filter around the handlers. */
    private static void leaveWithinTheAnswer(ApplicationContext application, Consumer<ServerHttpResponse> prepare) {
        MockServerWebExchange exchange = exchange("/failures");
        MockServerHttpResponse server = exchange.getResponse();
        server.setWriteHandler(Flux::then);
        Flux<DataBuffer> begun = Flux.just(buffer()).concatWith(Flux.never());
        WebFilterChain security = secured -> filtered(
                        application, "Last", secured, handled -> Mono.error(new IllegalStateException("for the test")))
                .onErrorResume(left -> {
                    prepare.accept(secured.getResponse());
                    return secured.getResponse().writeWith(begun);
                });
        Disposable sending = filtered(
                        application, "BeforeAuthentication", new Exchange(application, exchange), security)
                .subscribe();
        assertThat(server.isCommitted()).isTrue();
        sending.dispose();
    }

    private static Mono<Void> filtered(
            ApplicationContext application, String filter, ServerWebExchange exchange, WebFilterChain next) {
        return application
                .getBean("rateLimiterRoutes" + filter, RateLimitWebFilter.class)
                .filter(exchange, next);
    }

    private static MockServerWebExchange exchange(String path) {
        return MockServerWebExchange.from(MockServerHttpRequest.get(path));
    }

    private static DataBuffer buffer() {
        return DefaultDataBufferFactory.sharedInstance.wrap("a".getBytes(StandardCharsets.UTF_8));
    }

    private static long remaining(String limit, ApplicationContext application) {
        return application
                .getBean(RateLimiter.class)
                .peek(Acquisition.of(application.getBean(Limits.class).get(limit), "global"))
                .remaining();
    }

    private static void with(Consumer<ApplicationContext> use) {
        Contexts.reactive()
                .withUserConfiguration(AtSettableTime.class)
                .withPropertyValues(
                        "rate-limiter.limits.costs.max-requests=1000",
                        "rate-limiter.limits.costs.window-size=1h",
                        "rate-limiter.routes.costs.paths=/costs",
                        "rate-limiter.routes.costs.limits=costs",
                        "rate-limiter.routes.costs.key=global",
                        "rate-limiter.routes.costs.count=!5xx",
                        "rate-limiter.routes.costs.cost=500",
                        "rate-limiter.routes.costs.actual-cost=#request.attribute('tokens')",
                        "rate-limiter.limits.failures.max-requests=100",
                        "rate-limiter.limits.failures.window-size=1h",
                        "rate-limiter.routes.failures.paths=/failures",
                        "rate-limiter.routes.failures.limits=failures",
                        "rate-limiter.routes.failures.key=global",
                        "rate-limiter.routes.failures.count=IllegalStateException")
                .run(context -> use.accept(context.getSourceApplicationContext()));
    }
}
