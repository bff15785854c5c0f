package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.spring.testing.SlowStore;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Decisions that arrive while the server's thread of their request goes out through the filters. */
class ServerThreadHttpTest {

    private TestApp app;

    static class Course {

        private final CompletableFuture<Void> ran = new CompletableFuture<>();
        private final CompletableFuture<Void> mayEnd = new CompletableFuture<>();
        private volatile boolean hadHeaders = true;
    }

    @RestController
    static class Endpoint {

        private final Course course;

        Endpoint(Course course) {
            this.course = course;
        }

        @GetMapping("/mono")
        @RateLimited(name = "late", maxRequests = "1000", key = "global")
        public Mono<String> mono() {
            course.ran.complete(null);
            return Mono.fromFuture(course.mayEnd.thenApply(done -> "done"));
        }

        @GetMapping("/stage")
        @RateLimited(name = "late", maxRequests = "1000", key = "global")
        public CompletableFuture<String> stage() {
            course.ran.complete(null);
            return course.mayEnd.thenApply(done -> "done");
        }
    }

    /** Begins before the server's thread is out. */
    @RestController
    static class Streaming {

        @GetMapping(path = "/stream", produces = "text/event-stream")
        @RateLimited(name = "late", maxRequests = "1000", key = "global")
        public Flux<String> stream() {
            return Flux.just("one", "two");
        }
    }

    /** Between the filters that set headers on the way out, such as Spring Security's, and the handler. */
    static class OnTheWayOut {

        @Bean
        FilterRegistrationBean<Filter> decidesOnTheWayOut(SlowStore store, Course course) {
            return new FilterRegistrationBean<>((request, response, chain) -> {
                chain.doFilter(request, response);
                if (((HttpServletRequest) request).getRequestURI().equals("/stream")) {
                    store.answer(1);
                    await().until(response::isCommitted);
                } else if (request.isAsyncStarted()) {
                    store.answer(1);
                    course.ran
                            .orTimeout(Patience.LONGEST.toSeconds(), TimeUnit.SECONDS)
                            .join();
                    course.hadHeaders = ((HttpServletResponse) response).containsHeader("RateLimit");
                    course.mayEnd.complete(null);
                }
            });
        }
    }

    @BeforeEach
    void start() {
        app = TestApp.start(List.of(SlowStore.class, Course.class, Endpoint.class, Streaming.class, OnTheWayOut.class));
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mono", "/stage"})
    void setNoHeadersUntilItIsOut(String path) {
        Answer response = app.get(path);

        assertThat(app.bean(Course.class).hadHeaders).isFalse();
        assertThat(response.body()).isEqualTo("done");
        assertThat(response.headers().firstValue("RateLimit"))
                .hasValueSatisfying(limit -> assertThat(limit).startsWith("\"late\";r=999"));
    }

    @Test
    void setThoseOfAStreamAtOnce() {
        assertThat(app.get("/stream").header("RateLimit")).startsWith("\"late\";r=999");
    }
}
