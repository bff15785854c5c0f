package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Whether an application connects to Redis for limits: only if it limits something. */
class IdleStoreTest {

    private static RedisProcess redis;

    private final WebApplicationContextRunner contexts = Contexts.web()
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues(
                    "spring.data.redis.host=127.0.0.1",
                    "spring.data.redis.port=" + redis.port(),
                    "rate-limiter.timeout=15s");

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @Test
    void nothingConfiguredConnectsToNothing() {
        contexts.run(context -> assertThat(clients()).isEqualTo(1)); // who asks
    }

    @Test
    void aNamedLimitConnects() {
        connects(contexts.withPropertyValues("rate-limiter.max-requests=5"));
    }

    @Test
    void aRouteConnects() {
        connects(contexts.withPropertyValues(
                "rate-limiter.routes.api.paths=/api/**", "rate-limiter.routes.api.max-requests=5"));
    }

    @Test
    void anAnnotationConnects() {
        connects(contexts.withBean(Annotated.class));
    }

    @Test
    void anInjectedLimiterConnects() {
        connects(contexts.withBean(Injected.class));
    }

    @Test
    void aLimiterThatIsLookedUpConnectsForItsFirstCall() {
        Limit limit = Limit.of("looked-up", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));
        AtomicReference<Decision.Source> source = new AtomicReference<>();
        await().until(() -> {
            AtomicLong nanos = new AtomicLong();
            contexts.run(context -> {
                long startNanos = System.nanoTime();
                source.set(context.getBean(RateLimiter.class)
                        .acquire(Acquisition.of(limit, "alice"))
                        .source());
                nanos.set(System.nanoTime() - startNanos);
            });
            boolean heldUp = nanos.get() >= LimiterConnectionFactory.CONNECT_TIMEOUT.toNanos();
            return source.get() == Decision.Source.STORE || !heldUp;
        });
        assertThat(source).hasValue(Decision.Source.STORE);
    }

    private static void connects(WebApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            await().until(() -> clients() > 1);
        });
    }

    private static long clients() {
        return redis.<String>ask(commands -> commands.info("clients"))
                .lines()
                .filter(line -> line.startsWith("connected_clients:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    static class Annotated {
        @RateLimited(maxRequests = "5")
        void call() {}
    }

    record Injected(RateLimiter limiter) {}
}
