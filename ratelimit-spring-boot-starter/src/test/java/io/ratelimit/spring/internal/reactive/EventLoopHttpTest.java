package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;

/** A request goes on where it would without a limit: elsewhere, Reactor Netty sometimes begins a WebSocket that never reads. */
@Tag("reactive")
class EventLoopHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class Changed {

        /** The limiter sees a request that a filter has changed. */
        @Bean
        @Order(-200)
        WebFilter changed() {
            return (exchange, chain) -> chain.filter(exchange.mutate()
                    .request(request -> request.header("X-Changed", "yes"))
                    .build());
        }
    }

    @RestController
    static class Working {

        @GetMapping("/thread")
        String name() {
            return Thread.currentThread().getName();
        }
    }

    @Test
    void theHandlerWorksOnTheEventLoopOfTheConnectionAfterRedisHasDecided() {
        try (TestApp app = TestApp.start(
                        Stack.REACTIVE,
                        List.of(Changed.class, Working.class),
                        "spring.data.redis.url=" + TestRedis.uri(),
                        "rate-limiter.key-prefix=" + UUID.randomUUID(),
                        "rate-limiter.routes.all.paths=/thread",
                        "rate-limiter.routes.all.max-requests=100")
                .onRedis()) {
            for (int i = 0; i < 20; i++) {
                assertThat(app.get("/thread").body()).startsWith("webflux-http-");
            }
        }
    }
}
