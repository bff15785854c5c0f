package io.ratelimit.stack;

import io.ratelimit.FailurePolicy;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.ConnectedCluster;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadsLeft.class)
class ReportOnlyOnClusterTest extends ReportOnlyContract {

    private static ConnectedCluster cluster;

    @BeforeAll
    static void start() {
        cluster = new ConnectedCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    RateLimiterStackBuilder builder() {
        return RateLimiterStack.onRedis(RedisConnections.of(cluster.connection()))
                .keyPrefix("test-report-only")
                .timeout(Duration.ofMinutes(1))
                .onStoreFailure(FailurePolicy.CLOSED);
    }
}
