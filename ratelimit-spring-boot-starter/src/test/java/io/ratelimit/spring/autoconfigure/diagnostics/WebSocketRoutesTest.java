package io.ratelimit.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.socket.server.support.WebSocketHttpRequestHandler;

/** The request of a WebSocket ends with its handshake, so calls in flight are none of its sessions. */
class WebSocketRoutesTest {

    private static final WebSocketHandler SESSIONS =
            session -> session.receive().then();

    static Stream<AbstractApplicationContextRunner<?, ?, ?>> stacks() {
        return Stream.of(
                Contexts.web()
                        .withBean(
                                SimpleUrlHandlerMapping.class,
                                () -> new SimpleUrlHandlerMapping(Map.of("/ws", new WebSocketHttpRequestHandler()))),
                Contexts.reactive()
                        .withBean(
                                org.springframework.web.reactive.handler.SimpleUrlHandlerMapping.class,
                                () -> new org.springframework.web.reactive.handler.SimpleUrlHandlerMapping(
                                        Map.of("/ws", SESSIONS))));
    }

    @ParameterizedTest
    @MethodSource("stacks")
    void concurrencyAtAWebSocketStopsTheStart(AbstractApplicationContextRunner<?, ?, ?> stack) {
        route(stack, "concurrency", "/none")
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .startsWith(
                                "RL-206: rate-limiter.routes: route 'all' counts calls in flight, and '/ws' is a WebSocket")
                        .contains("write '/ws' in its exclude"));
    }

    @ParameterizedTest
    @MethodSource("stacks")
    void itMayBeLeftOutAndItsHandshakesMayBeCounted(AbstractApplicationContextRunner<?, ?, ?> stack) {
        route(stack, "concurrency", "/ws")
                .run(context -> assertThat(context.getStartupFailure()).isNull());
        route(stack, "fixed-window", "/none")
                .run(context -> assertThat(context.getStartupFailure()).isNull());
    }

    private static AbstractApplicationContextRunner<?, ?, ?> route(
            AbstractApplicationContextRunner<?, ?, ?> stack, String algorithm, String excluded) {
        return stack.withPropertyValues(
                "rate-limiter.routes.all.paths=/**",
                "rate-limiter.routes.all.exclude=" + excluded,
                "rate-limiter.routes.all.use-algo=" + algorithm,
                "rate-limiter.routes.all.max-requests=2");
    }
}
