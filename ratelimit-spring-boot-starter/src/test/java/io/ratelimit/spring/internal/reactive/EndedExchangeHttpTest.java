package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.OpenRequests;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.testing.WebSocketClient;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.web.embedded.tomcat.TomcatReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What goes on after the exchange in which it began, as behind {@code cache()}, has no request any more, on any server. */
@Tag("reactive")
class EndedExchangeHttpTest {

    static class Service {

        @RateLimited("caller")
        public Mono<String> caller() {
            return Mono.just("caller");
        }

        @RateLimited(value = "header", key = "header:X-Api-Key")
        public Mono<String> header() {
            return Mono.just("header");
        }

        @RateLimited(value = "message", key = "#request.attribute('user')")
        public Mono<String> message(String text) {
            return Mono.just(text);
        }
    }

    @RestController
    static class Rates {

        private final Service service;
        private final AtomicInteger tries = new AtomicInteger();
        final Map<String, Sinks.Empty<Void>> slow = Map.of("caller", Sinks.empty(), "header", Sinks.empty());
        final Map<String, Mono<String>> kept;

        Rates(Service service) {
            this.service = service;
            kept = Map.of("caller", after("caller", service::caller), "header", after("header", service::header));
        }

        /** What writes to the context keeps that of the first subscriber. */
        private Mono<String> after(String key, Supplier<Mono<String>> call) {
            return slow.get(key)
                    .asMono()
                    .then(Mono.defer(call))
                    .contextWrite(context -> context.put("tenant", "acme"))
                    .cache();
        }

        @GetMapping("/again")
        Mono<String> again() {
            return tries.incrementAndGet() == 1
                    ? Mono.error(new IllegalStateException("for the test"))
                    : service.header();
        }

        /** The first one waits no longer, as after a {@code timeout}. */
        @GetMapping("/rates/{key}")
        Mono<String> rates(@PathVariable String key) {
            return Mono.firstWithSignal(kept.get(key), Mono.just("not yet"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnTomcat {
        @Bean
        HandlerMapping messages(Service service) {
            WebSocketHandler messages = session -> session.receive()
                    .concatMap(message -> service.message(message.getPayloadAsText()))
                    .concatMap(heard -> session.send(Mono.just(session.textMessage(heard))))
                    .then();
            return new SimpleUrlHandlerMapping(Map.of("/messages", messages), -1);
        }

        @Bean
        WebFilter user() {
            return (exchange, chain) -> {
                exchange.getAttributes().put("user", "alice");
                return chain.filter(exchange);
            };
        }

        @Bean
        static BeanDefinitionRegistryPostProcessor tomcat() {
            return beans -> {
                beans.removeBeanDefinition("webServerFactory");
                beans.registerBeanDefinition(
                        "webServerFactory", new RootBeanDefinition(TomcatReactiveWebServerFactory.class));
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        WebFilter again() {
            return (exchange, chain) -> chain.filter(exchange).retry(1);
        }
    }

    @Nested
    class Netty extends OnServer {
        Netty() {
            super(Application.class);
        }
    }

    @Nested
    class Tomcat extends OnServer {
        Tomcat() {
            super(OnTomcat.class);
        }

        @Test
        void doesNotEndTheSessionOfAWebSocket() {
            try (WebSocketClient socket = new WebSocketClient(app, "/messages")) {
                app.bean(OpenRequests.class).awaitNone();

                assertThat(socket.send("hello")).isEqualTo("hello");
                assertThat(remaining("message", "value:alice")).isEqualTo(9);
            }
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnServer {
        final TestApp app;

        OnServer(Class<?> server) {
            app = TestApp.start(
                    Stack.REACTIVE,
                    List.of(Application.class, Rates.class, OpenRequests.of(Stack.REACTIVE), server),
                    "rate-limiter.store=in-memory",
                    "rate-limiter.limits.caller.max-requests=10",
                    "rate-limiter.limits.caller.window-size=1h",
                    "rate-limiter.limits.message.max-requests=10",
                    "rate-limiter.limits.message.window-size=1h",
                    "rate-limiter.limits.header.max-requests=10",
                    "rate-limiter.limits.header.window-size=1h");
        }

        @AfterAll
        void close() {
            app.close();
        }

        @ParameterizedTest
        @ValueSource(strings = {"caller", "header"})
        void countsWithAllOthersThatHaveNoRequest(String key) {
            assertThat(app.get("/rates/" + key, "X-Api-Key", "alice").body()).isEqualTo("not yet");
            app.bean(OpenRequests.class).awaitNone();

            app.bean(Rates.class).slow.get(key).tryEmitEmpty();

            assertThat(app.bean(Rates.class).kept.get(key).block(Patience.LONGEST))
                    .isEqualTo(key);
            assertThat(remaining(key, "global")).isEqualTo(9);
        }

        @Test
        void isNotOverBeforeAFilterHasTriedAgain() {
            assertThat(app.get("/again", "X-Api-Key", "bob").body()).isEqualTo("header");

            assertThat(remaining("header", "header:x-api-key:bob")).isEqualTo(9);
        }

        final long remaining(String limit, String subject) {
            return app.bean(RateLimiter.class)
                    .peek(Acquisition.of(app.bean(Limits.class).get(limit), subject))
                    .remaining();
        }
    }
}
