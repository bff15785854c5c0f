package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.spring.testing.SlowStore;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A refusal on Tomcat that comes when its client has reset the connection. */
class GoneClientHttpTest {

    @RestController
    static class Endpoint {

        @GetMapping("/late")
        @RateLimited(maxRequests = "1", key = "global")
        public Mono<String> late() {
            return Mono.just("admitted");
        }

        @GetMapping("/late/other")
        String other() {
            return "other";
        }
    }

    /** What the server sees of asynchronous requests. */
    static class Seen {

        private final CompletableFuture<Void> started = new CompletableFuture<>();
        private final CompletableFuture<Void> dispatched = new CompletableFuture<>();
    }

    static class Watching {

        @Bean
        FilterRegistrationBean<Filter> watching(Seen seen) {
            FilterRegistrationBean<Filter> first = new FilterRegistrationBean<>((request, response, chain) -> {
                if (request.getDispatcherType() == DispatcherType.REQUEST) {
                    chain.doFilter(request, response);
                    seen.started.complete(null);
                } else {
                    try {
                        chain.doFilter(request, response);
                        seen.dispatched.complete(null);
                    } catch (IOException | ServletException | RuntimeException failure) {
                        seen.dispatched.completeExceptionally(failure);
                        throw failure;
                    }
                }
            });
            first.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
            first.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return first;
        }
    }

    /** Clients could fill a disk with the server's stack traces; Spring's own answers fail quietly, too. */
    @Test
    void isNoFailureToTheServer() throws IOException {
        try (TestApp app = TestApp.start(
                List.of(SlowStore.class, Endpoint.class, Seen.class, Watching.class),
                "rate-limiter.routes.late.paths=/late/**",
                "rate-limiter.routes.late.key=global",
                "rate-limiter.routes.late.use-algo=concurrency",
                "rate-limiter.routes.late.max-requests=1")) {
            Seen seen = app.bean(Seen.class);
            SlowStore store = app.bean(SlowStore.class);
            store.answer(2); // this call, and the route of the next
            assertThat(app.bean(Endpoint.class).late().block()).isEqualTo("admitted");
            Socket client = new Socket(InetAddress.getLoopbackAddress(), app.port());
            client.getOutputStream()
                    .write("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(seen.started).succeedsWithin(Patience.LONGEST);

            client.setSoLinger(true, 0);
            client.close();
            store.answer(1);

            assertThat(seen.dispatched).succeedsWithin(Patience.LONGEST);
            store.answer(Integer.MAX_VALUE - 1);
            await().untilAsserted(
                            () -> assertThat(app.get("/late/other").body()).isEqualTo("other"));
        }
    }
}
