package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Exceptions that leave the handler, which Spring Security or Spring Boot answers, count by the status of the answer. */
class AnsweredElsewhereHttpTest {

    @RestController
    static class Failing {

        @GetMapping("/two/login")
        String login() {
            throw new BadCredentialsException("wrong");
        }

        @GetMapping("/plain/ok")
        String ok() {
            return "ok";
        }

        @GetMapping("/two/denied")
        String denied() {
            throw new AccessDeniedException("not you");
        }

        @GetMapping("/two/annotated")
        String annotated() {
            throw new WrongPasswordException();
        }
    }

    @ResponseStatus(HttpStatus.UNAUTHORIZED)
    static final class WrongPasswordException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {

        private final Stack stack;
        private TestApp app;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            app = Secured.start(
                    stack,
                    true,
                    Failing.class,
                    "rate-limiter.routes.refused.paths=/two/**",
                    "rate-limiter.routes.refused.max-requests=2",
                    "rate-limiter.routes.refused.window-size=1d",
                    "rate-limiter.routes.refused.count=401,403",
                    "rate-limiter.routes.refused.key=caller",
                    "rate-limiter.routes.costly.paths=/plain/**",
                    "rate-limiter.routes.costly.max-requests=10",
                    "rate-limiter.routes.costly.window-size=1d",
                    "rate-limiter.routes.costly.key=principal",
                    "rate-limiter.routes.costly.cost=header:X-Cost",
                    "rate-limiter.routes.beside.paths=/plain/**",
                    "rate-limiter.routes.beside.max-requests=2",
                    "rate-limiter.routes.beside.window-size=1d",
                    "rate-limiter.routes.beside.key=principal");
        }

        @AfterAll
        void stop() {
            app.close();
        }

        @ParameterizedTest
        @CsvSource({"alice, login, 401", "bob, denied, 403", "ip-127.0.0.1, annotated, 401"})
        void countsByTheStatusOfTheAnswer(String user, String path, int status) {
            assertThat(IntStream.range(0, 4)
                            .map(i -> app.get("/two/" + path, "Authorization", Secured.basic(user, "pw"))
                                    .status()))
                    .containsExactly(status, status, 429, 429);
        }

        @Test
        void aRequestWhoseCostCannotBeReadChargesNoOtherRoute() {
            assertThat(IntStream.range(0, 3).map(i -> costing("many"))).containsExactly(400, 400, 400);
            assertThat(IntStream.range(0, 3).map(i -> costing("1"))).containsExactly(200, 200, 429);
        }

        private int costing(String cost) {
            return app.get("/plain/ok", "Authorization", Secured.basic("alice", "pw"), "X-Cost", cost)
                    .status();
        }
    }
}
