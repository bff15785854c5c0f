package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.redis.RedisStore;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.StartFailure;
import io.ratelimit.testing.TestRedis;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Where counts live, and what is said of it. */
class StoreTest {

    private static final URI REDIS = URI.create(TestRedis.uri());

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withPropertyValues(
                    "rate-limiter.max-requests=2",
                    "rate-limiter.timeout=2s",
                    "rate-limiter.on-store-failure=closed",
                    "rate-limiter.key-prefix=" + UUID.randomUUID());

    @Test
    void countsInMemoryByDefaultAndSaysSoOnce() {
        try (LogCapture log = LogCapture.start()) {
            contexts.run(context -> {
                assertThat(context).doesNotHaveBean(RedisStore.class);
                assertThat(acquire(context).allowed()).isTrue();
            });
            assertThat(log.messages(Level.INFO)).singleElement().asString().contains("in memory");
        }
    }

    @Test
    void countsInTheRedisOfThePropertiesAndSaysSoOnce() {
        try (LogCapture log = LogCapture.start()) {
            sharesCounts(contexts.withPropertyValues("spring.data.redis.url=" + REDIS));
            assertThat(log.messages(Level.INFO)).hasSize(2).allMatch(line -> line.contains("in Redis"));
        }
    }

    @Test
    void countsInTheRedisOfAnApplicationsOwnConnectionFactory() {
        sharesCounts(contexts.withBean(
                LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(REDIS.getHost(), REDIS.getPort())));
    }

    @Test
    void countsInTheRedisOfAnApplicationsOwnConnectionDetails() {
        sharesCounts(contexts.withBean(RedisConnectionDetails.class, Details::new));
    }

    @Test
    void saysWhatIsMissingWhereRedisIsAskedForWithoutLettuce() {
        contexts.withPropertyValues("rate-limiter.store=redis")
                .withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("rate-limiter.store", "'redis' needs Lettuce", "put them on the class path"));
    }

    private static void sharesCounts(ApplicationContextRunner contexts) {
        contexts.run(one -> contexts.run(other -> {
            assertThat(acquire(one).allowed()).isTrue();
            assertThat(acquire(other).allowed()).isTrue();
            Decision third = acquire(one);
            assertThat(third.allowed()).isFalse();
            assertThat(third.source()).isEqualTo(Decision.Source.STORE);
        }));
    }

    private static Decision acquire(ApplicationContext context) {
        return context.getBean(RateLimiter.class)
                .acquire(Acquisition.of(context.getBean(Limits.class).get("default"), "alice"));
    }

    static final class Details implements RedisConnectionDetails {
        @Override
        public Standalone getStandalone() {
            return Standalone.of(REDIS.getHost(), REDIS.getPort());
        }
    }
}
