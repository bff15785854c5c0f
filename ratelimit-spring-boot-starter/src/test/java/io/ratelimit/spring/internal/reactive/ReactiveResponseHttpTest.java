package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.testing.WebSocketClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.server.WebSocketService;
import org.springframework.web.reactive.socket.server.support.HandshakeWebSocketService;
import org.springframework.web.reactive.socket.server.upgrade.ReactorNettyRequestUpgradeStrategy;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a handler may do with the response on Netty, also where the limiter looks at its end. */
class ReactiveResponseHttpTest {

    private static final int BYTES = 100_000;

    private static TestApp app;
    private static Path file;

    @RestController
    static class Handlers {

        @RequestMapping("/{route}/file")
        Mono<Void> file(ServerHttpResponse response) {
            return ((ZeroCopyHttpOutputMessage) response).writeWith(file, 1, BYTES - 2);
        }

        @RequestMapping("/{route}/nothing")
        Mono<Void> nothing(ServerWebExchange exchange) {
            finishLate(exchange.getResponse());
            return Mono.empty();
        }

        @RequestMapping("/{route}/something")
        Mono<String> something(ServerWebExchange exchange) {
            finishLate(exchange.getResponse());
            return Mono.just("something");
        }

        @RequestMapping("/{route}/failing")
        Mono<Void> failing(ServerHttpResponse response) {
            return response.setComplete().then(Mono.error(new IllegalStateException("for the test")));
        }

        @RequestMapping("/{route}/unsaved/one")
        Mono<String> unsaved(ServerHttpResponse response) {
            failToSave(response);
            return Mono.just("something");
        }

        @RequestMapping("/{route}/unsaved/parts")
        Flux<String> unsavedParts(ServerHttpResponse response) {
            failToSave(response);
            return Flux.just("some", "thing");
        }

        @RequestMapping(value = "/{route}/unsaved/events", produces = "text/event-stream")
        Flux<String> unsavedEvents(ServerHttpResponse response) {
            failToSave(response);
            return Flux.just("some", "thing");
        }

        @RequestMapping("/{route}/unsaved/answer")
        Flux<String> unsavedAnswer(ServerHttpResponse response) {
            failToSave(response);
            return Flux.error(new UnsupportedOperationException("for the test"));
        }

        @ExceptionHandler
        Mono<String> answer(UnsupportedOperationException failure) {
            return Mono.just("instead");
        }

        /** As a session does whose store is down. */
        private static void failToSave(ServerHttpResponse response) {
            response.getHeaders().set("X-Cost", "3");
            response.beforeCommit(() -> Mono.error(new IllegalStateException("for the test")));
        }

        private static void finishLate(ServerHttpResponse response) {
            response.beforeCommit(() -> Mono.fromRunnable(() -> {
                response.setStatusCode(HttpStatus.FORBIDDEN);
                response.getHeaders().set("X-Cost", "3");
            }));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Echo implements WebFluxConfigurer {

        /** Tomcat's would be found, too. */
        @Override
        public WebSocketService getWebSocketService() {
            return new HandshakeWebSocketService(new ReactorNettyRequestUpgradeStrategy());
        }

        @Bean
        HandlerMapping echo() {
            WebSocketHandler echo = session ->
                    session.send(session.receive().map(message -> session.textMessage(message.getPayloadAsText())));
            return new SimpleUrlHandlerMapping(Map.of("/failures/echo", echo), -1);
        }
    }

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        file = Files.write(directory.resolve("file"), new byte[BYTES]);
        app = TestApp.start(
                Stack.REACTIVE,
                List.of(Handlers.class, Echo.class),
                "rate-limiter.limits.failures.max-requests=100",
                "rate-limiter.limits.failures.window-size=1h",
                "rate-limiter.routes.failures.paths=/failures/**",
                "rate-limiter.routes.failures.limits=failures",
                "rate-limiter.routes.failures.key=global",
                "rate-limiter.routes.failures.count=failures",
                "rate-limiter.limits.costs.max-requests=1000",
                "rate-limiter.limits.costs.window-size=1h",
                "rate-limiter.routes.costs.paths=/costs/**",
                "rate-limiter.routes.costs.limits=costs",
                "rate-limiter.routes.costs.key=global",
                "rate-limiter.routes.costs.cost=10",
                "rate-limiter.routes.costs.actual-cost=header:X-Cost",
                "rate-limiter.limits.slots.use-algo=concurrency",
                "rate-limiter.limits.slots.max-requests=1",
                "rate-limiter.limits.slots.window-size=1h",
                "rate-limiter.routes.slots.paths=/slots/**",
                "rate-limiter.routes.slots.limits=slots",
                "rate-limiter.routes.slots.key=global",
                "rate-limiter.routes.late.paths=/late/**",
                "rate-limiter.routes.late.limits=costs",
                "rate-limiter.routes.late.key=principal");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"failures", "costs", "slots", "late", "unlimited"})
    void aFileIsSentByZeroCopy(String route) {
        for (int i = 0; i < 3; i++) {
            assertThat(app.get("/" + route + "/file").body()).hasSize(BYTES - 2);
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, nothing", "GET, something", "HEAD, nothing", "HEAD, something"})
    void whatIsChangedBeforeTheResponseIsSentCounts(String method, String path) {
        long failures = remaining("failures");
        long costs = remaining("costs");
        assertThat(app.send(method, "/failures/" + path).status()).isEqualTo(403);
        assertThat(app.send(method, "/costs/" + path).status()).isEqualTo(403);
        await().untilAsserted(() -> {
            assertThat(remaining("failures")).isEqualTo(failures - 1);
            assertThat(remaining("costs")).isEqualTo(costs - 3);
        });
    }

    @Test
    void whatFailsAfterItIsCompleteButNotSentIsAFailure() {
        long failures = remaining("failures");
        assertThat(app.get("/failures/failing").status()).isEqualTo(500);
        await().untilAsserted(() -> assertThat(remaining("failures")).isEqualTo(failures - 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "parts", "events", "answer"})
    void whatFailsBeforeItIsSentIsSettled(String body) {
        long failures = remaining("failures");
        long costs = remaining("costs");
        assertThat(app.get("/failures/unsaved/" + body).status()).isEqualTo(500);
        assertThat(app.get("/costs/unsaved/" + body).status()).isEqualTo(500);
        await().untilAsserted(() -> {
            assertThat(remaining("failures")).isEqualTo(failures - 1);
            assertThat(remaining("costs")).isEqualTo(costs - 3);
        });
    }

    @Test
    void aHandshakeOfAWebSocketIsAnsweredAndEndsItsRequest() {
        long failures = remaining("failures");
        try (WebSocketClient socket = new WebSocketClient(app, "/failures/echo")) {
            await().untilAsserted(() -> assertThat(remaining("failures")).isEqualTo(failures));
            assertThat(socket.send("hello")).isEqualTo("hello");
            assertThat(remaining("failures")).isEqualTo(failures);
        }
    }

    @Test
    void aSlotIsFreeAfterAResponseWithoutABody() {
        for (int i = 0; i < 20; i++) {
            assertThat(app.send("HEAD", "/slots/nothing").status()).isEqualTo(403);
        }
    }

    private static long remaining(String limit) {
        return app.bean(RateLimiter.class)
                .peek(Acquisition.of(app.bean(Limits.class).get(limit), "global"))
                .remaining();
    }
}
