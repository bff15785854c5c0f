package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.Stack;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A route counts by a variable of its path, as the handler gets it. */
class PathVariableHttpTest {

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

    abstract static class OnStack extends AppTest {

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(Tenants.class),
                    "rate-limiter.window-size=1d",
                    "rate-limiter.routes.tenants.paths=/tenants/{tenant}/**,/of/{tenant:[a-z]+},/all",
                    "rate-limiter.limits.tenants.max-requests=3",
                    "rate-limiter.limits.tenants.window-size=1d",
                    "rate-limiter.routes.tenants.limits=tenants",
                    "rate-limiter.routes.tenants.key=path:tenant",
                    "rate-limiter.routes.files.paths=/files/{*file}",
                    "rate-limiter.routes.files.max-requests=2",
                    "rate-limiter.routes.files.key=path:file",
                    "rate-limiter.routes.res.paths=/res/**",
                    "rate-limiter.routes.res.max-requests=9",
                    "rate-limiter.routes.res.key=#request.path()",
                    "rate-limiter.routes.raw.paths=/raw/**",
                    "rate-limiter.routes.raw.max-requests=9",
                    "rate-limiter.routes.raw.key=#request.rawPath()");
        }

        @Test
        void eachValueHasItsOwnQuotaOverAllPathsOfTheRoute() {
            assertThat(remaining("/tenants/acme/orders")).isEqualTo("2");
            assertThat(remaining("/tenants/acme/users/7")).isEqualTo("1");
            assertThat(remaining("/of/acme")).isEqualTo("0");
            assertThat(app().raw("GET", "/tenants/acme/x").status()).isEqualTo(429);
            assertThat(remaining("/tenants/other/orders")).isEqualTo("2");
        }

        @ParameterizedTest
        @CsvSource({
            "/tenants/%73pelled1/x, spelled1",
            "/tenants/spelled2;v=1/x, spelled2",
            "/tenants/sp%20elled%C3%BC/x, sp elledü",
            "/tenants/x%3Ay/x, x:y"
        })
        void aSpellingIsTheValueThatTheHandlerGets(String path, String tenant) {
            app().raw("GET", path);

            assertThat(app().bean(Tenants.class).last).isEqualTo(tenant);
            assertThat(used("path:tenant:" + tenant)).isEqualTo(1);
        }

        @Test
        void aPatternToTheEndCountsTheRestOfThePath() {
            assertThat(app().raw("GET", "/files/a/b.txt").header("RateLimit")).startsWith("\"files\";r=1;");
            assertThat(app().raw("GET", "/files/a/c.txt").header("RateLimit")).startsWith("\"files\";r=1;");
            assertThat(app().raw("GET", "/files/a/%62.txt").header("RateLimit")).startsWith("\"files\";r=0;");
        }

        @Test
        void thePathIsOneForAllSpellingsAndTheRawPathIsAsSent() {
            assertThat(Stream.of("/res/7", "/res/7;a=1", "/res/%37", "/%72es/7", "/res/8")
                            .map(this::remaining))
                    .containsExactly("8", "7", "6", "5", "8");
            assertThat(Stream.of("/raw/7", "/raw/7", "/raw/7;a=1", "/raw/%37").map(this::remaining))
                    .containsExactly("8", "7", "8", "8");
        }

        @Test
        void aPathWithoutTheVariableCountsTheAddress() {
            assertThat(remaining("/all")).isEqualTo("2");
            assertThat(remaining("/all")).isEqualTo("1");
        }

        private long used(String subject) {
            Limit limit = app().bean(Limits.class).get("tenants");
            return 3
                    - app().bean(RateLimiter.class)
                            .peek(Acquisition.of(limit, subject))
                            .limits()
                            .get(0)
                            .remaining();
        }

        private String remaining(String path) {
            return app().raw("GET", path).header("X-RateLimit-Remaining");
        }
    }

    @RestController
    static class Tenants {

        private volatile String last = "";

        @GetMapping({"/tenants/{tenant}/**", "/of/{tenant}"})
        String tenant(@PathVariable String tenant) {
            last = tenant;
            return "ok";
        }
    }
}
