package io.ratelimit.spring.autoconfigure;

import static io.ratelimit.spring.testing.Patience.awaitStore;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.testing.TestRedis;
import java.util.UUID;
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
        inRedis.run(one -> {
            inRedis.run(other -> {
                assertThat(admitted(other, "leased", 1)).isEqualTo(1);
                assertThat(admitted(one, "leased", 20)).isEqualTo(6);
            });
            // not one of the refusals that it remembers for a second
            Decision left = one.getBean(RateLimiter.class)
                    .peek(Acquisition.of(one.getBean(Limits.class).get("leased"), "alice"));
            assertThat(left.remaining()).isEqualTo(3);
        });
    }

    @Test
    void instancesShareAShardedLimitExactly() {
        inRedis.run(one -> inRedis.run(other -> {
            assertThat(admitted(one, "sharded", 6)).isEqualTo(6);
            assertThat(admitted(other, "sharded", 6)).isEqualTo(4);
        }));
    }

    @Test
    void neitherMeansAnythingInMemory() {
        inMemory.run(context -> {
            assertThat(admitted(context, "leased", 20)).isEqualTo(10);
            assertThat(admitted(context, "sharded", 20)).isEqualTo(10);
        });
    }

    private static long admitted(ApplicationContext context, String name, int calls) {
        RateLimiter limiter = context.getBean(RateLimiter.class);
        awaitStore(limiter);
        Limit limit = context.getBean(Limits.class).get(name);
        long admitted = 0;
        for (int i = 0; i < calls; i++) {
            admitted += limiter.acquire(Acquisition.of(limit, "alice")).allowed() ? 1 : 0;
        }
        return admitted;
    }
}
