package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that are refused together are told to return at different times. */
class RetryAfterSpreadHttpTest {

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
                    List.of(ShopController.class, AtSettableTime.class),
                    "rate-limiter.retry-after-spread=50%",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=1",
                    "rate-limiter.routes.plain.window-size=100s",
                    "rate-limiter.routes.plain.key=global");
        }

        @Test
        void refusalsOfARouteAreSpreadAndTheirHeadersAgree() {
            assertThat(app().get("/plain/x").header("RateLimit")).isEqualTo("\"plain\";r=0;t=100");

            assertSpread("/plain/x", 100);
        }

        @Test
        void refusalsOfAnAnnotatedMethodAreSpreadAndTheirHeadersAgree() {
            app().get("/annotated?user=eve");
            app().get("/annotated?user=eve");

            assertSpread("/annotated?user=eve", 60);
        }

        /** Of 40 responses, all tell one number once in 10^50 runs or less often. */
        private void assertSpread(String path, long wait) {
            List<Long> told = LongStream.range(0, 40)
                    .mapToObj(i -> retryAfter(app().get(path)))
                    .toList();

            assertThat(told).allSatisfy(seconds -> assertThat(seconds).isBetween(wait, wait + wait / 2));
            assertThat(told.stream().distinct()).hasSizeGreaterThan(1);
        }

        private static long retryAfter(Answer refused) {
            assertThat(refused.status()).isEqualTo(429);
            long seconds = Long.parseLong(refused.header("Retry-After"));
            assertThat(refused.header("RateLimit")).endsWith(";r=0;t=" + seconds);
            assertThat(refused.header("X-RateLimit-Reset")).isEqualTo(String.valueOf(seconds));
            return seconds;
        }
    }
}
