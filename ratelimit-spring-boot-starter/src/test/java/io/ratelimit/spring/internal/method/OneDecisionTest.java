package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ratelimit.Acquisition;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import java.lang.reflect.Array;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What counts together, and what does not. */
class OneDecisionTest {

    static class Service {
        @RateLimited(
                value = {"burst", "hourly"},
                key = "#user")
        @RateLimited(value = "tenant", key = "'acme'", cost = "2")
        public void several(String user) {}

        @RateLimited(maxRequests = "1")
        @RateLimited(maxRequests = "3")
        public void repeated() {}
    }

    static class Base {
        @RateLimited(maxRequests = "1")
        public void call(int number) {}
    }

    static class Overloads extends Base {
        @RateLimited(maxRequests = "1")
        public void call() {}

        @RateLimited(maxRequests = "1")
        public void call(String text) {}

        @RateLimited(maxRequests = "1")
        public void call(Array array) {}

        @RateLimited(maxRequests = "1")
        public void call(java.sql.Array array) {}
    }

    static class LongNames {
        @RateLimited(maxRequests = "1")
        public void
                aVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryLongName1() {}

        @RateLimited(maxRequests = "1")
        public void
                aVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryLongName2() {}
    }

    static class Other {
        @RateLimited(maxRequests = "1")
        public void call() {}
    }

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withUserConfiguration(AtSettableTime.class)
            .withPropertyValues(
                    "rate-limiter.limits.burst.max-requests=1",
                    "rate-limiter.limits.hourly.max-requests=10",
                    "rate-limiter.limits.tenant.max-requests=10");

    @Test
    void aRefusalByOneLimitChargesNoneOfTheOthers() {
        contexts.withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            service.several("alice");

            RateLimitExceededException refusal =
                    catchThrowableOfType(RateLimitExceededException.class, () -> service.several("alice"));

            assertThat(refusal.decision().refusing())
                    .extracting(status -> status.limit().name())
                    .containsExactly("burst");
            assertThat(refusal.decision().limits())
                    .extracting(LimitStatus::remaining)
                    .containsExactly(0L, 9L, 8L);
            Limits limits = context.getBean(Limits.class);
            RateLimiter limiter = context.getBean(RateLimiter.class);
            assertThat(limiter.peek(Acquisition.of(limits.get("hourly"), "value:alice"))
                            .remaining())
                    .isEqualTo(9);
            assertThat(limiter.peek(Acquisition.of(limits.get("tenant"), "value:acme"))
                            .remaining())
                    .isEqualTo(8);
        });
    }

    @Test
    void repeatedInlineLimitsDoNotShareCounts() {
        contexts.withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            service.repeated();

            RateLimitExceededException refusal =
                    catchThrowableOfType(RateLimitExceededException.class, service::repeated);

            assertThat(refusal.decision().limits())
                    .extracting(LimitStatus::remaining)
                    .containsExactly(0L, 2L);
        });
    }

    @Test
    void overloadsDoNotShareCounts() {
        contexts.withBean(Overloads.class).withBean(Other.class).run(context -> {
            Overloads overloads = context.getBean(Overloads.class);
            assertThatCode(() -> {
                        overloads.call();
                        overloads.call(1);
                        overloads.call("text");
                        overloads.call((Array) null);
                        overloads.call((java.sql.Array) null);
                        context.getBean(Other.class).call();
                    })
                    .doesNotThrowAnyException();
            assertThat(catchThrowableOfType(RateLimitExceededException.class, () -> overloads.call(1)))
                    .isNotNull();
        });
    }

    @Test
    void longNamesAreNoObstacle() {
        contexts.withBean(LongNames.class).run(context -> {
            LongNames service = context.getBean(LongNames.class);
            service
                    .aVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryLongName1();
            service
                    .aVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryLongName2();
            assertThat(
                            catchThrowableOfType(
                                    RateLimitExceededException.class,
                                    service
                                            ::aVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVeryLongName1))
                    .isNotNull();
        });
    }
}
