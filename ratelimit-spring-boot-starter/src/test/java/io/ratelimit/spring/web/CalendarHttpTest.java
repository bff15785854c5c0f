package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.Patience.secondsSince;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A quota of the calendar that two instances share on one Redis, or one counts in memory. */
class CalendarHttpTest {

    private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

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
        private TestApp one;
        private TestApp other;
        private TestApp inMemory;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            String prefix = UUID.randomUUID().toString();
            one = instance("spring.data.redis.url=" + TestRedis.uri(), "rate-limiter.key-prefix=" + prefix)
                    .onRedis();
            other = instance("spring.data.redis.url=" + TestRedis.uri(), "rate-limiter.key-prefix=" + prefix)
                    .onRedis();
            inMemory = instance("rate-limiter.store=in-memory");
        }

        @AfterAll
        void stop() {
            Stream.of(one, other, inMemory).forEach(TestApp::close);
        }

        @Test
        void instancesShareTheQuotaUntilThePeriodEnds() {
            isUsedUp(one, other);
        }

        @Test
        void memoryCountsByTheSameCalendar() {
            isUsedUp(inMemory, inMemory);
        }

        private void isUsedUp(TestApp first, TestApp second) {
            assertThat(first.get("/plain/x").status()).isEqualTo(200);
            Answer allowed = second.get("/plain/x");
            long startNanos = System.nanoTime();
            Answer refused = first.get("/plain/x");
            ZonedDateTime now = ZonedDateTime.now(PARIS);
            long untilNextYear = Duration.between(
                            now, LocalDate.of(now.getYear() + 1, 1, 1).atStartOfDay(PARIS))
                    .toSeconds();

            assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"yearly\";q=2");
            assertThat(allowed.header("RateLimit")).startsWith("\"yearly\";r=0;t=");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(Long.parseLong(refused.header("Retry-After")))
                    .isBetween(untilNextYear, untilNextYear + 2 + secondsSince(startNanos));
        }

        private TestApp instance(String... store) {
            String[] limit = {
                "rate-limiter.limits.yearly.max-requests=2",
                "rate-limiter.limits.yearly.calendar=year",
                "rate-limiter.limits.yearly.zone=Europe/Paris",
                "rate-limiter.routes.plain.paths=/plain/**",
                "rate-limiter.routes.plain.limits=yearly",
                "rate-limiter.routes.plain.key=global"
            };
            return TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    Stream.of(limit, store).flatMap(Stream::of).toArray(String[]::new));
        }
    }
}
