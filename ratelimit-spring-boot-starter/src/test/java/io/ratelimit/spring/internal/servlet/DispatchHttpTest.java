package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

/** A request counts once for each route, in whichever dispatch it first matches. */
class DispatchHttpTest {

    private static TestApp app;

    @RestController
    static class Forwarding {

        @GetMapping("/limited/end")
        String limited() {
            return "ok";
        }

        @GetMapping({"/open", "/limited/begin"})
        ModelAndView once() {
            return new ModelAndView("forward:/limited/end");
        }

        @GetMapping("/chain")
        ModelAndView chain() {
            return new ModelAndView("forward:/limited/begin");
        }

        @GetMapping("/later")
        void later(HttpServletRequest request) {
            request.startAsync().dispatch("/limited/end");
        }

        @GetMapping("/writing/forward")
        void writing(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            response.getWriter().print("begun");
            request.getRequestDispatcher("/limited/end").forward(request, response);
        }

        @GetMapping("/writing/later")
        void writingLater(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("begun");
            later(request);
        }

        @GetMapping("/fails")
        void fails(HttpServletResponse response) throws IOException {
            response.sendError(418);
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(
                List.of(AtSettableTime.class, Forwarding.class, Dispatches.class),
                "rate-limiter.routes.dispatch.paths=/dispatch/**",
                "rate-limiter.routes.dispatch.max-requests=9",
                "rate-limiter.routes.dispatch.key=header:X-User",
                "rate-limiter.routes.limited.paths=/limited/**,/error",
                "rate-limiter.routes.limited.max-requests=2",
                "rate-limiter.routes.limited.key=header:X-User",
                "rate-limiter.routes.entry.paths=/open",
                "rate-limiter.routes.entry.max-requests=9",
                "rate-limiter.routes.entry.key=header:X-User");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dispatch/async", "/dispatch/forward", "/dispatch/error"})
    void dispatchesAfterTheFirstAreNotCounted(String path) {
        String user = "dis" + path;
        assertThat(app.get(path, "X-User", user).header("RateLimit")).startsWith("\"dispatch\";r=8");
        assertThat(app.get(path, "X-User", user).header("RateLimit")).startsWith("\"dispatch\";r=7");
    }

    @Test
    void aForwardToALimitedPathIsCountedThere() {
        assertThat(get("/open", "ann").header("RateLimit")).isEqualTo("\"entry\";r=8;t=60,\"limited\";r=1;t=60");
        assertThat(get("/open", "ann").status()).isEqualTo(200);

        Answer refused = get("/open", "ann");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("RateLimit")).isEqualTo("\"entry\";r=6;t=60,\"limited\";r=0;t=60");
        assertThat(refused.body()).contains("\"violated-policies\":[\"limited\"]");
        assertThat(get("/limited/end", "ann").status()).isEqualTo(429);
    }

    @Test
    void aForwardWithinARouteIsCountedOnce() {
        assertThat(get("/limited/begin", "ben").header("RateLimit")).isEqualTo("\"limited\";r=1;t=60");
        assertThat(get("/limited/begin", "ben").header("RateLimit")).isEqualTo("\"limited\";r=0;t=60");
    }

    @Test
    void aChainOfForwardsIsCountedOnce() {
        assertThat(get("/chain", "cat").header("RateLimit")).isEqualTo("\"limited\";r=1;t=60");
        assertThat(get("/chain", "cat").header("RateLimit")).isEqualTo("\"limited\";r=0;t=60");
        assertThat(get("/chain", "cat").status()).isEqualTo(429);
    }

    @Test
    void anAsyncDispatchToALimitedPathIsCountedThere() {
        assertThat(get("/later", "dan").header("RateLimit")).isEqualTo("\"limited\";r=1;t=60");
        assertThat(get("/later", "dan").status()).isEqualTo(200);
        assertThat(get("/later", "dan").status()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/writing/forward", "/writing/later"})
    void aRefusalTakesThePlaceOfWhatHasBegun(String path) {
        String user = "fay" + path;
        get("/limited/end", user);
        get("/limited/end", user);

        Answer refused = get(path, user);

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("RateLimit")).isEqualTo("\"limited\";r=0;t=60");
        assertThat(refused.body()).startsWith("{").contains("\"violated-policies\":[\"limited\"]");
    }

    @Test
    void anErrorPageIsPartOfItsAnswer() {
        for (int i = 0; i < 3; i++) {
            Answer failed = get("/fails", "eve");
            assertThat(failed.status()).isEqualTo(418);
            assertThat(failed.header("RateLimit")).isNull();
        }
    }

    private static Answer get(String path, String user) {
        return app.get(path, "X-User", user);
    }
}
