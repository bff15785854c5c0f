package io.ratelimit.spring.autoconfigure;

import static io.ratelimit.spring.testing.Patience.awaitStore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What a lease and shards do where counts live in Redis, and that in memory they do nothing. */
class LeasesAndShardsTest {

    private final ApplicationContextRunner inMemory = Contexts.plain()
            .withPropertyValues(
                    "rate-limiter.timeout=15s",
                    "rate-limiter.key-prefix=" + UUID.randomUUID(),
                    "rate-limiter.limits.leased.max-requests=10",
                    "rate-limiter.limits.leased.window-size=1d",
                    "rate-limiter.limits.leased.lease=4",
                    "rate-limiter.limits.sharded.max-requests=10",
                    "rate-limiter.limits.sharded.window-size=1d",
                    "rate-limiter.limits.sharded.shards=3");
    private final ApplicationContextRunner inRedis =
            inMemory.withPropertyValues("spring.data.redis.url=" + TestRedis.uri());

    @Test
    void anInstanceHoldsALeaseAndGivesItBackWhenItStops() {
        AtomicReference<String> subject = new AtomicReference<>();
        inRedis.run(one -> {
            inRedis.run(other -> await().until(() -> {
                subject.set(UUID.randomUUID().toString());
                long startNanos = System.nanoTime();
                long ofOther = admitted(other, "leased", subject.get(), 1);
                long ofOne = admitted(one, "leased", subject.get(), 20);
                if (Duration.ofNanos(System.nanoTime() - startNanos).toSeconds() > 0) {
                    return false; // which may be longer than it holds the lease
                }
                assertThat(ofOther).isEqualTo(1);
                assertThat(ofOne).isEqualTo(6);
                return true;
            }));
            // not one of the refusals that it remembers for a second
            Decision left = one.getBean(RateLimiter.class)
                    .peek(Acquisition.of(one.getBean(Limits.class).get("leased"), subject.get()));
            assertThat(left.remaining()).isEqualTo(3);
        });
    }

    @Test
    void instancesShareAShardedLimitExactly() {
        inRedis.run(one -> inRedis.run(other -> {
            assertThat(admitted(one, "sharded", "alice", 6)).isEqualTo(6);
            assertThat(admitted(other, "sharded", "alice", 6)).isEqualTo(4);
        }));
    }

    @Test
    void neitherMeansAnythingInMemory() {
        inMemory.run(context -> {
            assertThat(admitted(context, "leased", "alice", 20)).isEqualTo(10);
            assertThat(admitted(context, "sharded", "alice", 20)).isEqualTo(10);
        });
    }

    private static long admitted(ApplicationContext context, String name, String subject, int calls) {
        RateLimiter limiter = context.getBean(RateLimiter.class);
        awaitStore(limiter);
        Limit limit = context.getBean(Limits.class).get(name);
        long admitted = 0;
        for (int i = 0; i < calls; i++) {
            admitted += limiter.acquire(Acquisition.of(limit, subject)).allowed() ? 1 : 0;
        }
        return admitted;
    }
}
