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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;

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
        await("the connections of the test before are closed").until(() -> clients() == 1); // who asks
        contexts.run(context -> assertThat(clients()).isEqualTo(1));
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
        assertThat(source(contexts, context -> Timed.call(context.getBean(RateLimiter.class))))
                .isEqualTo(Decision.Source.STORE);
    }

    @Test
    void aCallWhileTheApplicationStartsWaitsForTheConnection() {
        assertThat(source(
                        contexts.withPropertyValues("rate-limiter.max-requests=5")
                                .withBean(CallsInItsConstructor.class),
                        context -> context.getBean(CallsInItsConstructor.class).called))
                .isEqualTo(Decision.Source.STORE);
    }

    /** Tries again if the call was held up for so long that the attempt to connect has failed. */
    private static Decision.Source source(
            WebApplicationContextRunner application, Function<ApplicationContext, Timed> call) {
        AtomicReference<Timed> called = new AtomicReference<>();
        await().until(() -> {
            application.run(context -> called.set(call.apply(context)));
            boolean heldUp = called.get().nanos >= LimiterClientSettings.CONNECT_TIMEOUT.toNanos();
            return called.get().source == Decision.Source.STORE || !heldUp;
        });
        return called.get().source;
    }

    /** Who decided a call, and how long it took. */
    private record Timed(Decision.Source source, long nanos) {

        static Timed call(RateLimiter limiter) {
            Limit limit = Limit.of("first", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));
            long startNanos = System.nanoTime();
            Decision decision = limiter.acquire(Acquisition.of(limit, "alice"));
            return new Timed(decision.source(), System.nanoTime() - startNanos);
        }
    }

    static class CallsInItsConstructor {
        private final Timed called;

        CallsInItsConstructor(RateLimiter limiter) {
            called = Timed.call(limiter);
        }
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
