package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadsLeft.class)
class ReportOnlyOnRedisTest extends ReportOnlyContract {

    private final RedisClient client =
            RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(TestRedis.uri())));

    @Override
    RateLimiterStackBuilder builder() {
        return RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .keyPrefix("test-report-only")
                .timeout(Duration.ofMinutes(1))
                .onStoreFailure(FailurePolicy.CLOSED);
    }

    @Override
    void disconnect() {
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }

    @Test
    void aStoreThatDoesNotAnswerRefusesNothing() {
        Limit limit = Limit.of("fifty", Algorithm.FIXED_WINDOW, 50, Duration.ofDays(1))
                .withReportOnly();
        RedisClient closed =
                RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(TestRedis.uri())));
        RateLimiterStackBuilder builder =
                RateLimiterStack.onRedis(RedisConnections.of(closed.connect())).onStoreFailure(FailurePolicy.CLOSED);
        closed.shutdown(Duration.ZERO, Duration.ZERO);
        try (RateLimiterStack away = builder.build()) {
            Decision decision = away.acquire(Acquisition.of(limit, "alice"));

            assertThat(decision.allowed()).isTrue();
            assertThat(decision.source()).isEqualTo(Decision.Source.NONE);
            assertThat(decision.exceeded()).isEmpty();
        }
    }
}
