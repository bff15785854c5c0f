package io.ratelimit.spring.internal.method;

import static io.ratelimit.spring.testing.Patience.awaitStore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.testing.RedisProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Whom the limits count is nobody's business: not the log's, and not an exception's. */
class SecretSubjectTest {

    private static final String SECRET = "alice-4711";

    static class Service {
        @RateLimited(value = "login", key = "#user")
        public void refused(String user) {}

        @RateLimited(value = "login", key = "'' + T(Integer).parseInt(#user)")
        public void failingKey(String user) {}

        @RateLimited(value = "login", key = "#user", cost = "T(Integer).parseInt(#user)")
        public void failingCost(String user) {}

        @RateLimited(value = "login", key = "#user", condition = "T(Integer).parseInt(#user) > 1")
        public void failingCondition(String user) {}

        @RateLimited(value = "login", key = "#user", cost = "T(Integer).valueOf(100)")
        public void tooMuch(String user) {}

        @RateLimited(value = "login", key = "#user", onStoreFailure = "closed")
        public void closed(String user) {}
    }

    @Test
    void noSubjectIsLoggedOrThrown() {
        try (LogCapture log = LogCapture.start();
                RedisProcess redis = RedisProcess.start()) {
            Contexts.plain()
                    .withPropertyValues(
                            "rate-limiter.limits.login.max-requests=1",
                            "rate-limiter.report-only=false",
                            "rate-limiter.timeout=15s",
                            "spring.data.redis.url=" + redis.uri())
                    .withBean(Service.class)
                    .run(context -> {
                        Service service = context.getBean(Service.class);
                        awaitStore(context.getBean(RateLimiter.class));
                        callEverything(service);
                        redis.signal("KILL");
                        callEverything(service);
                        // one of whom no refusal is remembered, so that the store is asked
                        Limit login = context.getBean(Limits.class).get("login");
                        context.getBean(RateLimiter.class).acquire(Acquisition.of(login, SECRET + " again"));
                    });

            assertThat(log.text()).contains("failed", "does not answer").doesNotContain(SECRET);
        }
    }

    @Test
    void anAcquisitionShowsNoSubject() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.max-requests=1")
                .run(context -> assertThat(
                                Acquisition.of(context.getBean(Limits.class).get("default"), SECRET))
                        .asString()
                        .doesNotContain(SECRET));
    }

    private static void callEverything(Service service) {
        for (int i = 0; i < 2; i++) {
            assertThat(thrown(() -> service.refused(SECRET))).doesNotContain(SECRET);
            assertThat(thrown(() -> service.failingKey(SECRET))).doesNotContain(SECRET);
            assertThat(thrown(() -> service.failingCost(SECRET))).doesNotContain(SECRET);
            assertThat(thrown(() -> service.failingCondition(SECRET))).doesNotContain(SECRET);
            assertThat(thrown(() -> service.tooMuch(SECRET))).doesNotContain(SECRET);
            assertThat(thrown(() -> service.closed(SECRET))).doesNotContain(SECRET);
        }
    }

    private static String thrown(Runnable call) {
        Throwable failure = catchThrowable(call::run);
        StringWriter text = new StringWriter();
        if (failure != null) {
            failure.printStackTrace(new PrintWriter(text));
        }
        return text.toString();
    }
}
