package io.ratelimit.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RedisRateLimiterAutoConfiguration;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A connection that breaks while a call's end is in flight: Lettuce 6 sends it again, Lettuce 7 gives it up. */
class LostReleaseTest {

    private static final Acquisition SLOT =
            Acquisition.of(Limit.of("slot", Algorithm.CONCURRENCY, 1, Duration.ofHours(1)), "alice");

    @ImportAutoConfiguration({RateLimiterAutoConfiguration.class, RedisRateLimiterAutoConfiguration.class})
    @Configuration(proxyBeanMethods = false)
    static class Limited {}

    @Test
    @Tag("smoke")
    void theSlotIsFreeAfterwards() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                ReplyProxy proxy = new ReplyProxy(redis.port());
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            int port = RedisURI.create(proxy.uri()).getPort();
            context.registerBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", port));
            context.register(Limited.class);
            TestPropertyValues.of(
                            "rate-limiter.store=redis",
                            "rate-limiter.on-store-failure=closed",
                            "rate-limiter.timeout=5s")
                    .applyTo(context);
            context.refresh();
            RateLimiterStack limiter = context.getBean(RateLimiterStack.class);
            await().until(() -> limiter.outage().isEmpty()); // a start waits two seconds for Redis
            Decision decision = limiter.acquire(SLOT);
            assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
            CountDownLatch lost = proxy.holdAndLoseNextCommand();

            CompletableFuture<Void> released =
                    limiter.releaseAsync(SLOT, decision).toCompletableFuture();
            await().until(released::isDone);
            lost.countDown();

            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> limiter.acquire(SLOT).allowed());
        }
    }
}
