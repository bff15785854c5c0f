package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.spring.testing.SlowStore;
import io.ratelimit.spring.testing.TestApp;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import reactor.core.publisher.Mono;

/** Limited calls of a request, on Tomcat, whose decision comes when the request is over. */
class LateDecisionHttpTest {

    private static TestApp app;

    static class Service {

        @RateLimited(maxRequests = "1000", key = "global")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture(seen());
        }

        @RateLimited(maxRequests = "1000", key = "global")
        public Mono<String> mono() {
            return Mono.just(seen());
        }

        @RateLimited(maxRequests = "1000", key = "global")
        public Mono<String> result() {
            return Mono.fromSupplier(Service::seen);
        }

        private static String seen() {
            return "%s %s %s %s"
                    .formatted(
                            SecurityContextHolder.getContext()
                                    .getAuthentication()
                                    .getName(),
                            MDC.get("trace"),
                            RequestContextHolder.getRequestAttributes(),
                            LocaleContextHolder.getLocale());
        }
    }

    @RestController
    static class Endpoint {

        private final Service service;
        private volatile CompletableFuture<String> called;

        Endpoint(Service service) {
            this.service = service;
        }

        /** Answers at once. */
        @GetMapping("/{method}")
        String send(@PathVariable String method, @RequestParam Optional<Locale> locale) {
            locale.ifPresent(LocaleContextHolder::setLocale);
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("alice", ""));
            MDC.put("trace", "t1");
            try {
                called = switch (method) {
                    case "stage" -> service.stage();
                    case "mono" -> service.mono().toFuture();
                    default -> service.result().toFuture();
                };
            } finally {
                MDC.clear();
                SecurityContextHolder.clearContext();
            }
            return "sent";
        }

        @GetMapping("/other")
        String other() {
            return "other";
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(List.of(SlowStore.class, Service.class, Endpoint.class));
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    /** Of its caller's context it has what asks no request: that one would fail, or answer for another user. */
    @ParameterizedTest
    @CsvSource({"stage,", "mono,", "result,", "stage,ko", "result,ko"})
    void theMethodHasNothingThatAsksTheRequest(String method, @Nullable Locale set) {
        assertThat(app.get("/" + method + (set == null ? "" : "?locale=" + set)).body())
                .isEqualTo("sent");
        for (int i = 0; i < 20; i++) {
            app.get("/other"); // reuses the request
        }

        app.bean(SlowStore.class).answer(1);

        assertThat(app.bean(Endpoint.class).called)
                .succeedsWithin(Patience.LONGEST)
                .isEqualTo("alice t1 null " + (set == null ? Locale.getDefault() : set));
    }
}
